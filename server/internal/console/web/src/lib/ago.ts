const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** After this many days a date says more than their number. */
const MOST_DAYS = 30

export type Ago = readonly [n: number, unit: 'day' | 'hour' | 'minute' | 'second']

/**
 * The time between a moment and the present, both in milliseconds, in its largest unit: negative for the past, 0 seconds
 * below a minute, and null beyond 30 days.
 */
export function ago(moment: number, now: number): Ago | null {
  const seconds = (moment - now) / 1000
  for (const [unit, size] of UNITS) {
    const n = Math.trunc(seconds / size)
    if (n !== 0) return unit === 'day' && Math.abs(n) > MOST_DAYS ? null : [n, unit]
  }
  return [0, 'second']
}
