const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** A duration in words, in its two largest units. */
export function durationText(seconds: number, language: string): string {
  const parts: string[] = []
  let rest = seconds
  for (const [unit, size] of UNITS) {
    const n = Math.floor(rest / size)
    rest -= n * size
    if (n > 0 && parts.length < 2) parts.push(new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(n))
  }
  return parts.join(' ')
}
