/** Settings that this browser stores. If it refuses, nothing is stored. */
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
    // The setting then lasts until the page is reloaded.
  }
}
