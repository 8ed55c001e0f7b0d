import { es } from '../../i18n/es-admin'
import { momentOf } from '../../lib/dates'
import { longDay } from '../../lib/grid'
import { panelPrice } from '../../lib/money'

/** The maximum price (F-807). */
export const MAX_PRICE = 10_000_000

/**
 * Parses a date into the stored form, also from `5/9/2031`, `05-09-2031` and `5.9.2031`. The day comes first, as is
 * usual in the country.
 */
export function isoDate(text: string): string {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/.exec(text.trim()) ?? []
  return year ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : text.trim()
}

/** The text of a stored date in the form, as the hint shows it: `05/09/2031`. Other texts, such as those of drafts, are unchanged. */
export function dateText(date: string): string {
  return date.replace(/^(\d{4})-(\d{2})-(\d{2})$/, '$3/$2/$1')
}

/** Parses a time of day into the stored form: `19:30` from `7:30 p. m.`, `7:30 PM`, `7 pm`, `19.30` or `19:30`. */
export function clockTime(text: string): string {
  const match = /^(\d{1,2})(?:[:.](\d{2}))?\s*(?:h\.?|([ap])\.?\s?m\.?)?$/i.exec(text.trim())
  const [, hour = '', minute, half] = match ?? []
  if (!match || (!half && minute === undefined)) return text.trim()
  const twelve = Number(hour) % 12
  if (half && (Number(hour) < 1 || Number(hour) > 12)) return text.trim()
  const full = half ? twelve + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hour)
  return `${String(full).padStart(2, '0')}:${minute ?? '00'}`
}

/** Parses a number such as `1,500.50`, `RD$ 1,500` or `1 500`. Commas and blanks only separate thousands. */
function plainNumber(text: string): string {
  const bare = text.replace(/^(?:RD)?\$\s*/i, '')
  return /^\d{1,3}(?:[,\s]\d{3})+(?:\.\d+)?$/.test(bare) ? bare.replaceAll(/[,\s]/g, '') : bare
}

/** Parses a price. An empty text is null; a text that is not a price in whole cents is undefined. */
export function priceOf(text: string): number | null | undefined {
  if (text.trim() === '') return null
  const price = Number(plainNumber(text.trim()))
  const cents = price * 100
  if (!Number.isFinite(price) || price < 0 || price > MAX_PRICE || Math.abs(cents - Math.round(cents)) > 1e-6) return undefined
  // replaces -0 by 0
  return price === 0 ? 0 : price
}

/** The note below a field: how the typed date, time or price is parsed, or that it is invalid. */
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
