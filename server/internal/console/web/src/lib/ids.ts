const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A random id of 20 letters and digits, like those of the SDKs. */
export function newId(): string {
  let id = ''
  while (id.length < 20) {
    for (const byte of crypto.getRandomValues(new Uint8Array(32))) {
      // The last 8 of 256 values would make some letters more likely.
      if (byte < 248 && id.length < 20) id += LETTERS[byte % 62]
    }
  }
  return id
}

/** Reports whether a text is a valid id of a document or a collection. */
export function goodId(id: string): boolean {
  const bytes = new TextEncoder().encode(id).length
  return bytes > 0 && bytes <= 1500 && !id.includes('/') && id !== '.' && id !== '..' && !/^__.*__$/s.test(id)
}
