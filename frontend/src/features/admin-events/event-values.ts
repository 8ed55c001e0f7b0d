import type { EventFields } from '../../firebase/panel-writes'
import { es } from '../../i18n/es-admin'
import { enLocal, momentoDe } from '../../lib/fechas'
import type { MusicEvent } from '../../admin/data/rows'

/** The event form's fields as texts. */
export type Values = Record<Name, string>
export type Name = 'title' | 'description' | 'date' | 'time' | 'location' | 'featuredArtist' | 'price'

export const names: readonly Name[] = ['title', 'description', 'date', 'time', 'location', 'featuredArtist', 'price']
export const blank: Values = { title: '', description: '', date: '', time: '', location: '', featuredArtist: '', price: '' }

/** Limits of the rules (F-807). */
export const limits = { title: 150, description: 5000, location: 200, featuredArtist: 200 }
const MAX_PRICE = 10_000_000

/** What came of checking: the event, or the message and the first field that it is about. */
export type Checked = { ok: true; event: EventFields } | { ok: false; message: string; field: Name }

/** Checks the form in the order of the brief: F-504, then F-505, then F-506. */
export function check(raw: Values): Checked {
  const values: Values = { ...blank }
  for (const name of names) values[name] = raw[name].trim()
  values.date = isoDate(values.date)
  values.time = values.time.replace(/^(\d):/, '0$1:')
  const required = ['title', 'date', 'time', 'location', 'description'] as const
  const empty = required.find((name) => values[name] === '')
  if (empty) return { ok: false, message: es.eventos.incompleto, field: empty }
  const price = priceOf(values.price)
  if (price === undefined) return { ok: false, message: es.eventos.precioInvalido, field: 'price' }
  const eventDate = momentoDe(values.date, values.time)
  if (!eventDate) {
    const field = momentoDe(values.date, '00:00') ? 'time' : 'date'
    return { ok: false, message: es.eventos.fechaInvalida, field }
  }
  return { ok: true, event: { ...values, price, eventDate } }
}

/** A date as it is stored; `5/9/2031` is how people here write it. */
function isoDate(text: string): string {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? []
  return year ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : text
}

/** A price: nothing is null, what is not a price in whole cents is undefined. */
function priceOf(text: string): number | null | undefined {
  if (text === '') return null
  const price = Number(text)
  const cents = price * 100
  if (!Number.isFinite(price) || price < 0 || price > MAX_PRICE || Math.abs(cents - Math.round(cents)) > 1e-6) return undefined
  // -0 is a number that nobody means.
  return price === 0 ? 0 : price
}

/** The fields of a saved event; an older one takes date and time from its moment (D-28). */
export function valuesOf(event: MusicEvent): Values {
  const local = enLocal(event.eventDate)
  return {
    title: event.title,
    description: event.description,
    date: momentoDe(event.date, '00:00') ? event.date : (local?.fecha ?? ''),
    time: momentoDe('2000-01-01', event.time) ? event.time : (local?.hora ?? ''),
    location: event.location,
    featuredArtist: event.featuredArtist,
    price: event.price === null ? '' : String(event.price),
  }
}
