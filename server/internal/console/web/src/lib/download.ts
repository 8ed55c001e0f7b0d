/** Saves a text as a file. */
export function download(name: string, type: string, parts: string[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }))
  follow(url, name)
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Saves the response of an address as a file, under the server's name unless one is given. */
export function follow(url: string, name = ''): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
