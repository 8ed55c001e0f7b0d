import { toLocal, momentOf } from '../../lib/dates'

const WEEK_MS = 7 * 24 * 60 * 60_000
const DAY_MS = 24 * 60 * 60_000

/** The number of times in one week. */
export type Week = { start: Date; count: number }

/** Counts times by weeks that begin on Monday in the foundation's zone. The last week is the current one. */
export function byWeek(moments: readonly (Date | null)[], now: Date, weeks: number): readonly Week[] {
  const today = momentOf(toLocal(now)?.date ?? '', '00:00') ?? now
  // The zone is four hours behind UTC all year, so midnight there has the same weekday in UTC.
  const sinceMonday = (today.getUTCDay() + 6) % 7
  const monday = today.getTime() - sinceMonday * DAY_MS
  return Array.from({ length: weeks }, (_, i) => {
    const start = monday - (weeks - 1 - i) * WEEK_MS
    const count = moments.filter((m) => m !== null && m.getTime() >= start && m.getTime() < start + WEEK_MS).length
    return { start: new Date(start), count }
  })
}
