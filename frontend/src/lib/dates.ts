/** Dates in the foundation's zone, America/Santo_Domingo, four hours behind UTC all year (D-07). The device's zone is never used. */
export const ZONE = 'America/Santo_Domingo'
const OFFSET = '-04:00'

/** Short month names in the site's spelling (D-08): ICU's "sept" has four letters. */
const MONTHS = ['ENE', 'FEB', 'MAR', 'ABR', 'MAY', 'JUN', 'JUL', 'AGO', 'SEP', 'OCT', 'NOV', 'DIC'] as const

/** The text for a missing value. */
export const DASH = '—'

const parts = new Intl.DateTimeFormat('en-CA', {
  timeZone: ZONE,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** The date and time of day in the foundation's zone. */
export type Local = { date: string; time: string }

/** Whether a Date is valid. */
export function isDate(moment: Date | null | undefined): moment is Date {
  return moment instanceof Date && !Number.isNaN(moment.getTime())
}

/** Splits a time into `2025-09-05` and `19:30`. Null if it is invalid. */
export function toLocal(moment: Date | null | undefined): Local | null {
  if (!isDate(moment)) return null
  const de = Object.fromEntries(parts.formatToParts(moment).map(({ type, value }) => [type, value]))
  return { date: `${de['year']}-${de['month']}-${de['day']}`, time: `${de['hour']}:${de['minute']}` }
}

/** `05 SEP 2025 • 19:30` (D-08), or a dash. */
export function dateAndTime(moment: Date | null | undefined): string {
  const local = toLocal(moment)
  return local ? `${shortDate(local.date)} • ${local.time}` : DASH
}

/** `2025-09-05 19:30`, which spreadsheets sort and parse as a date; empty without a time. */
export function sortable(moment: Date | null | undefined): string {
  const local = toLocal(moment)
  return local ? `${local.date} ${local.time}` : ''
}

/** `05 SEP 2025` of `2025-09-05`, or a dash. */
export function shortDate(date: string): string {
  const [year, month, day] = date.split('-')
  const name = MONTHS[Number(month) - 1]
  return year && day && name ? `${day} ${name} ${year}` : DASH
}

/** The time of a date `yyyy-mm-dd` and a time of day `HH:mm` in the foundation's zone; null if it does not exist. */
export function momentOf(date: string, time: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !/^\d{2}:\d{2}$/.test(time)) return null
  const moment = new Date(`${date}T${time}:00${OFFSET}`)
  const local = toLocal(moment)
  return local && local.date === date && local.time === time ? moment : null
}

/** Today's date in the foundation's zone. */
export function today(now: Date = new Date()): string {
  return toLocal(now)?.date ?? ''
}
