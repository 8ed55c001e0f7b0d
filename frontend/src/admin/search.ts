/** A text as searches compare it: in small letters, without accents. */
export function fold(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLowerCase()
}

/** Whether one of the texts contains the search, whatever the case and the accents. */
export function matches(search: string, texts: readonly string[]): boolean {
  const wanted = fold(search.trim())
  return texts.some((text) => fold(text).includes(wanted))
}
