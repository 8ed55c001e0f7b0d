/** A text for comparisons in searches: in lower case, without accents. */
export function fold(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .toLowerCase()
}

/** Whether one of the texts contains the search, ignoring case and accents. */
export function matches(search: string, texts: readonly string[]): boolean {
  const wanted = fold(search.trim())
  return texts.some((text) => fold(text).includes(wanted))
}
