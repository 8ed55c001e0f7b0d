/** Places in a text by the bytes of its UTF-8 form, as the server counts them. */
export function byteIndex(text: string): (byte: number) => number {
  if (new TextEncoder().encode(text).length === text.length) return (byte) => Math.min(byte, text.length)
  const places: number[] = []
  let index = 0
  for (const letter of text) {
    const bytes = new TextEncoder().encode(letter).length
    for (let i = 0; i < bytes; i++) places.push(index)
    index += letter.length
  }
  return (byte) => places[byte] ?? text.length
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Bytes in the unit that leaves few digits. */
export function bytesText(bytes: number): string {
  const power = bytes > 0 ? Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10)) : 0
  const value = bytes / 1024 ** power
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}
