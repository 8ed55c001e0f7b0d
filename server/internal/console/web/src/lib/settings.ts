/** Settings stored by this browser. If it refuses, they are not stored. */
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
    // The setting then applies until the page is reloaded.
  }
}
