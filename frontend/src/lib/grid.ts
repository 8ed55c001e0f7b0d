import { momentOf } from './dates'

/** The range that the calendar shows. */
export type View = 'mes' | 'semana'

const MONTHS = ['enero', 'febrero', 'marzo', 'abril', 'mayo', 'junio', 'julio', 'agosto', 'septiembre', 'octubre', 'noviembre', 'diciembre']

/** The days of the week, Monday first (F-231). */
export const DAYS = ['lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado', 'domingo'] as const

// Days are texts `yyyy-mm-dd`. Calculations use noon in UTC, so that no zone shifts them.
const atNoon = (date: string) => new Date(`${date}T12:00:00Z`)
const asText = (day: Date) => day.toISOString().slice(0, 10)

/** The range of the calendar's days: from the last change of Santo Domingo's offset, up to the last year of four digits. */
const FIRST = '2001-01-01'
const END = '3000-01-01'

/** Whether a text is an existing day in the calendar's range. */
export function isDay(text: string): boolean {
  return momentOf(text, '00:00') !== null && text >= FIRST && text < END
}

/** The day a number of days later. */
export function addDays(date: string, days: number): string {
  const day = atNoon(date)
  day.setUTCDate(day.getUTCDate() + days)
  return asText(day)
}

/** The same day a number of months later, or the last day of that month. */
export function addMonths(date: string, months: number): string {
  const first = atNoon(`${date.slice(0, 8)}01`)
  first.setUTCMonth(first.getUTCMonth() + months)
  const next = new Date(first)
  next.setUTCMonth(next.getUTCMonth() + 1)
  const last = Number(addDays(asText(next), -1).slice(8))
  first.setUTCDate(Math.min(Number(date.slice(8)), last))
  return asText(first)
}

/** The index of the day in its week: 0 is Monday. */
export function weekday(date: string): number {
  return (atNoon(date).getUTCDay() + 6) % 7
}

/** The visible days: the whole weeks that contain the month, or one week (D-12). */
export function visibleDays(view: View, date: string): string[] {
  const first = view === 'mes' ? `${date.slice(0, 8)}01` : date
  const last = view === 'mes' ? addDays(addMonths(first, 1), -1) : date
  const days = []
  const end = addDays(last, 6 - weekday(last))
  for (let day = addDays(first, -weekday(first)); day <= end; day = addDays(day, 1)) days.push(day)
  return days
}

/** Days in rows of seven. */
export function weeks(days: string[]): string[][] {
  return Array.from({ length: days.length / 7 }, (_, i) => days.slice(i * 7, i * 7 + 7))
}

/** The bounds of the times of events on some days: from the first midnight up to the one after the last day. */
export function rangeOf(days: string[]): { from: Date; until: Date } {
  const [first = '', last = ''] = [days.at(0), days.at(-1)]
  const from = momentOf(first, '00:00')
  const until = momentOf(addDays(last, 1), '00:00')
  if (!from || !until) throw new RangeError(`no such days: ${first} ${last}`)
  return { from, until }
}

/** `septiembre de 2027`. */
export function longMonth(date: string): string {
  return `${MONTHS[Number(date.slice(5, 7)) - 1]} de ${date.slice(0, 4)}`
}

/** `viernes 5 de septiembre de 2025`. */
export function longDay(date: string): string {
  return `${DAYS[weekday(date)]} ${Number(date.slice(8))} de ${longMonth(date)}`
}

/** The day to which a key moves the focus (APG grid), or null if it does not move. The days of a week stand one below the other. */
export function afterKey(key: string, date: string, view: View): string | null {
  const line = view === 'mes' ? 7 : 1
  const jumps: Record<string, () => string> = {
    ArrowLeft: () => addDays(date, -1),
    ArrowRight: () => addDays(date, 1),
    ArrowUp: () => addDays(date, -line),
    ArrowDown: () => addDays(date, line),
    Home: () => addDays(date, -weekday(date)),
    End: () => addDays(date, 6 - weekday(date)),
    PageUp: () => move(date, view, -1),
    PageDown: () => move(date, view, 1),
  }
  return jumps[key]?.() ?? null
}

/** The day a month or a week later (D-10). */
export function move(date: string, view: View, step: 1 | -1): string {
  return view === 'mes' ? addMonths(date, step) : addDays(date, 7 * step)
}
