import { DASH } from './dates'

/** An event as visitors see it. */
export type PublicEvent = {
  id: string
  title: string
  description: string
  place: string
  artist: string
  price: number | null
  image: string | null
  /** The picture's alternative text: its own, otherwise the title. */
  imageAlt: string
  /** The time by which events are ordered and assigned to a day. */
  moment: Date | null
  /** The visible date and time (D-08): `05 SEP 2025`, `19:30`, or a dash. */
  date: string
  time: string
}

/** The line of an event's date and time: `05 SEP 2025 • 19:30` (D-08). */
export function whenLine({ date, time }: Pick<PublicEvent, 'date' | 'time'>): string {
  if (date === DASH) return DASH
  return time === DASH ? date : `${date} • ${time}`
}
