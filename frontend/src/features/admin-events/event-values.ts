import type { DraftFields } from '../../firebase/draft-writes'
import type { EventFields } from '../../firebase/panel-writes'
import { es } from '../../i18n/es-admin'
import { longDay } from '../../lib/grid'
import { panelPrice } from '../../lib/money'
import { uploadedPicture } from '../../lib/picture'
import { toLocal, momentOf } from '../../lib/dates'
import type { MusicEvent } from '../../admin/data/rows'

/** The event form's fields as texts. */
export type Values = Record<Name, string>
export type Name = (typeof names)[number]

export const names = ['title', 'description', 'date', 'time', 'location', 'featuredArtist', 'price', 'imageUrl', 'imageAlt'] as const
export const blank: Values = {
  title: '',
  description: '',
  date: '',
  time: '',
  location: '',
  featuredArtist: '',
  price: '',
  imageUrl: '',
  imageAlt: '',
}

/** Limits of the event form (F-807); rules-test compares them with firestore.rules. */
export const limits = { title: 150, description: 5000, location: 200, featuredArtist: 200, imageAlt: 300 }
export const MAX_PRICE = 10_000_000
const MAX_DRAFT_MOMENT = 40

/** What came of checking: the event, or the message and the first field that it is about. */
export type Checked = { ok: true; event: EventFields } | { ok: false; message: string; field: Name }

/** Checks the form in the order of the brief: F-504, then F-505, then F-506. */
export function check(raw: Values): Checked {
  const values: Values = { ...blank }
  for (const name of names) values[name] = raw[name].trim()
  values.date = isoDate(values.date)
  values.time = clockTime(values.time)
  const required = ['title', 'date', 'time', 'location', 'description'] as const
  const empty = required.find((name) => values[name] === '')
  if (empty) return { ok: false, message: es.events.incomplete, field: empty }
  const price = priceOf(values.price)
  if (price === undefined) return { ok: false, message: es.events.invalidPrice, field: 'price' }
  const eventDate = momentOf(values.date, values.time)
  if (!eventDate) {
    const field = momentOf(values.date, '00:00') ? 'time' : 'date'
    return { ok: false, message: es.events.invalidDate, field }
  }
  if (values.imageUrl === '') values.imageAlt = ''
  else if (values.imageAlt === '' && uploadedPicture(values.imageUrl)) return { ok: false, message: es.picture.wantsAlt, field: 'imageAlt' }
  return { ok: true, event: { ...values, price, eventDate } }
}

/** What came of checking a draft, which needs a title alone; what is not understood of its day and time stays as it is. */
export function checkDraft(raw: Values): { ok: true; draft: DraftFields } | { ok: false; message: string; field: Name } {
  const values: Values = { ...blank }
  for (const name of names) values[name] = raw[name].trim()
  if (values.title === '') return { ok: false, message: es.drafts.wantsTitle, field: 'title' }
  const price = priceOf(values.price)
  if (price === undefined) return { ok: false, message: es.events.invalidPrice, field: 'price' }
  const date = isoDate(values.date).slice(0, MAX_DRAFT_MOMENT)
  const time = clockTime(values.time).slice(0, MAX_DRAFT_MOMENT)
  return { ok: true, draft: { ...values, date, time, price, eventDate: momentOf(date, time) } }
}

/** A date as it is stored, of `5/9/2031`, `05-09-2031` and `5.9.2031` too, which is how people here write it: the day first. */
export function isoDate(text: string): string {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/.exec(text.trim()) ?? []
  return year ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : text.trim()
}

/** A time as it is stored: `19:30` of `7:30 p. m.`, `7:30 PM`, `7 pm`, `19.30` or `19:30`. */
export function clockTime(text: string): string {
  const match = /^(\d{1,2})(?:[:.](\d{2}))?\s*(?:h\.?|([ap])\.?\s?m\.?)?$/i.exec(text.trim())
  const [, hour = '', minute, half] = match ?? []
  if (!match || (!half && minute === undefined)) return text.trim()
  const twelve = Number(hour) % 12
  if (half && (Number(hour) < 1 || Number(hour) > 12)) return text.trim()
  const full = half ? twelve + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hour)
  return `${String(full).padStart(2, '0')}:${minute ?? '00'}`
}

/** A number as people here write it: `1,500.50`, `RD$ 1,500`, `1 500`. Commas and blanks part thousands alone. */
function plainNumber(text: string): string {
  const bare = text.replace(/^(?:RD)?\$\s*/i, '')
  return /^\d{1,3}(?:[,\s]\d{3})+(?:\.\d+)?$/.test(bare) ? bare.replaceAll(/[,\s]/g, '') : bare
}

/** A price: nothing is null, what is not a price in whole cents is undefined. */
export function priceOf(text: string): number | null | undefined {
  if (text.trim() === '') return null
  const price = Number(plainNumber(text.trim()))
  const cents = price * 100
  if (!Number.isFinite(price) || price < 0 || price > MAX_PRICE || Math.abs(cents - Math.round(cents)) > 1e-6) return undefined
  // -0 is a number that nobody means.
  return price === 0 ? 0 : price
}

/** How a date, time or price that was typed is understood, and whether it is: for the note below its field. */
export function understood(name: 'date' | 'time' | 'price', text: string): { text: string; valid: boolean } | null {
  if (text.trim() === '') return null
  if (name === 'date') {
    const date = isoDate(text)
    const valid = momentOf(date, '00:00') !== null
    return { text: valid ? longDay(date) : es.events.wantsDate, valid }
  }
  if (name === 'time') {
    const time = clockTime(text)
    const valid = momentOf('2000-01-01', time) !== null
    return { text: valid ? time : es.events.wantsTime, valid }
  }
  const price = priceOf(text)
  return typeof price === 'number' ? { text: panelPrice(price), valid: true } : { text: es.events.wantsPrice, valid: false }
}

/** The fields of a saved event; an older one takes date and time from its moment (D-28). */
export function valuesOf(event: MusicEvent): Values {
  const local = toLocal(event.eventDate)
  return {
    title: event.title,
    description: event.description,
    date: momentOf(event.date, '00:00') ? event.date : (local?.date ?? ''),
    time: momentOf('2000-01-01', event.time) ? event.time : (local?.time ?? ''),
    location: event.location,
    featuredArtist: event.featuredArtist,
    imageUrl: event.imageUrl,
    imageAlt: event.imageAlt,
    price: event.price === null ? '' : String(event.price),
  }
}
