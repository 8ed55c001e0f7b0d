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
