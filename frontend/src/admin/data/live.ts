/**
 * The state of a live list. `offline`: the rows are the last ones received and may be old. `total`: the number of all
 * rows, of which these are the first. `partial`: more rows were requested and have not arrived. `whole` reads all rows
 * once.
 */
export type Live<T> = { status: 'loading' } | { status: 'error' } | Ready<T>

type Ready<T> = {
  status: 'ready'
  rows: readonly T[]
  offline: boolean
  total: number
  partial: boolean
  whole: () => Promise<readonly T[]>
}

/** Joins two lists into one, in the order of a comparison. */
export function join<T>(a: Live<T>, b: Live<T>, compare: (x: T, y: T) => number): Live<T> {
  if (a.status === 'error' || b.status === 'error') return { status: 'error' }
  if (a.status === 'loading' || b.status === 'loading') return { status: 'loading' }
  return {
    status: 'ready',
    rows: firstOf(a, b, compare),
    offline: a.offline || b.offline,
    total: a.total + b.total,
    partial: a.partial || b.partial,
    whole: async () => (await Promise.all([a.whole(), b.whole()])).flat().toSorted(compare),
  }
}

/** The first rows of both lists. A row after the last one of an incomplete list is omitted, because it may not be the next. */
function firstOf<T>(a: Ready<T>, b: Ready<T>, compare: (x: T, y: T) => number): T[] {
  const ends = [a, b].flatMap(({ rows, total }) => (rows.length < total ? rows.slice(-1) : []))
  return [...a.rows, ...b.rows].toSorted(compare).filter((row) => ends.every((end) => compare(row, end) <= 0))
}

/** Newest first. Rows without a date come last. */
export function newestFirst(a: { createdAt: Date | null }, b: { createdAt: Date | null }): number {
  return (b.createdAt?.getTime() ?? 0) - (a.createdAt?.getTime() ?? 0)
}

/** The rows of a list, empty until they are loaded. */
export function rowsOf<T>(live: Live<T>): readonly T[] {
  return live.status === 'ready' ? live.rows : []
}
