import { toLocal } from './dates'

/** Opening hours: days of the week (0 is Sunday) and minutes from midnight. */
export type Hours = { days: readonly number[]; opens: number; closes: number }

/** Whether the foundation is open at a time, in its own zone (P-16). */
export function isOpenAt(moment: Date, { days, opens, closes }: Hours): boolean {
  const local = toLocal(moment)
  if (!local) return false
  const day = new Date(`${local.date}T12:00:00Z`).getUTCDay()
  const [times = 0, minutes = 0] = local.time.split(':').map(Number)
  const now = times * 60 + minutes
  return days.includes(day) && now >= opens && now < closes
}
