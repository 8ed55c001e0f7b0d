import { isDate, shortDate, toLocal, ZONE } from './dates'

const weekdays = new Intl.DateTimeFormat('es-DO', { timeZone: ZONE, weekday: 'long' })

/** The weekday of a moment, empty where another date is shown: that may be the record's own text (D-28). */
export function spokenDay(moment: Date | null, shown: string): string {
  return isDate(moment) && shortDate(toLocal(moment)?.date ?? '') === shown ? weekdays.format(moment) : ''
}

/** `7:30 p. m.` of a moment, empty where another time is shown. */
export function spokenTime(moment: Date | null, shown: string): string {
  if (toLocal(moment)?.time !== shown) return ''
  const hour = Number(shown.slice(0, 2))
  return `${hour % 12 || 12}:${shown.slice(3)}\u00A0${hour < 12 ? 'a.' : 'p.'}\u00A0m.`
}
