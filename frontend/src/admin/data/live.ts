/** What a live list is at a moment. `offline`: the rows are the last ones received and may be old. */
export type Live<T> = { status: 'loading' } | { status: 'error' } | { status: 'ready'; rows: readonly T[]; offline: boolean }

/** Joins two lists into one, in the order of a comparison. */
export function join<T>(a: Live<T>, b: Live<T>, compare: (x: T, y: T) => number): Live<T> {
  if (a.status === 'error' || b.status === 'error') return { status: 'error' }
  if (a.status === 'loading' || b.status === 'loading') return { status: 'loading' }
  return { status: 'ready', rows: [...a.rows, ...b.rows].toSorted(compare), offline: a.offline || b.offline }
}

/** The newest first; what has no date comes last. */
export function newestFirst(a: { createdAt: Date | null }, b: { createdAt: Date | null }): number {
  return (b.createdAt?.getTime() ?? 0) - (a.createdAt?.getTime() ?? 0)
}

/** The rows of a list, none while there are none. */
export function rowsOf<T>(live: Live<T>): readonly T[] {
  return live.status === 'ready' ? live.rows : []
}
