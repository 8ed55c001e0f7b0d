import * as v from 'valibot'
import type { PublicEvent } from './event'
import { toLocal, isDate, shortDate, momentOf, DASH } from './dates'
import { safeImage } from './safe-url'

const text = v.fallback(v.string(), '')

/** A stored event before validation: older records lack fields, and fields may have other types. */
const Stored = v.object({
  title: text,
  description: text,
  location: text,
  featuredArtist: text,
  price: v.fallback(v.nullable(v.pipe(v.number(), v.finite())), null),
  date: text,
  time: text,
  eventDate: v.fallback(v.nullable(v.date()), null),
  imageUrl: text,
  imageAlt: text,
})

/**
 * The visible date and time: the record's own texts, otherwise those of its timestamp (D-28). With an invalid date the
 * time is omitted too.
 */
function show(date: string, time: string, moment: Date | null): { date: string; time: string } {
  const local = toLocal(moment)
  const day = date.trim() || local?.date || ''
  if (!momentOf(day, '00:00')) return { date: DASH, time: DASH }
  const clock = time.trim() || local?.time || ''
  return { date: shortDate(day), time: momentOf(day, clock) ? clock : DASH }
}

/** Parses a stored event. */
export function readEvent(id: string, data: unknown): PublicEvent {
  const { title, description, location, featuredArtist, price, date, time, eventDate, imageUrl, imageAlt } = v.parse(Stored, data)
  const moment = isDate(eventDate) ? eventDate : null
  return {
    id,
    title: title.trim(),
    description: description.trim(),
    place: location.trim(),
    artist: featuredArtist.trim(),
    price: price,
    image: safeImage(imageUrl),
    imageAlt: imageAlt.trim() || title.trim(),
    moment,
    ...show(date, time, moment),
  }
}
