/** What this browser remembers about the page. A browser may refuse; then nothing is remembered. */
export function readSetting(name: string): string | null {
  try {
    return localStorage.getItem(`console.${name}`)
  } catch {
    return null
  }
}

export function writeSetting(name: string, value: string): void {
  try {
    localStorage.setItem(`console.${name}`, value)
  } catch {
    // The choice then lasts as long as the page.
  }
}
