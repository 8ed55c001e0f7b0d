/** Returns a function that converts offsets in UTF-8 bytes, which the server uses, to indexes of a string. */
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

/** A size in the unit with the fewest digits. number formats a number in the page's language. */
export function bytesText(bytes: number, number: (n: number) => string): string {
  const power = bytes > 0 ? Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10)) : 0
  const value = bytes / 1024 ** power
  return `${number(value >= 100 ? Math.round(value) : Math.round(value * 10) / 10)} ${UNITS[power]}`
}
