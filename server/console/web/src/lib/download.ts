/** Saves a text as a file of the browser. */
export function download(name: string, type: string, parts: string[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }))
  follow(url, name)
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Saves what an address returns as a file of the browser, by its own name unless one is given. */
export function follow(url: string, name = ''): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
