import type { MusicEvent } from '../../admin/data/rows'
import { momentOf, toLocal } from '../../lib/dates'
import { dateText } from './event-text'

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

/** The fields of a saved event. For older records the date and time come from its timestamp (D-28). */
export function valuesOf(event: MusicEvent): Values {
  const local = toLocal(event.eventDate)
  return {
    title: event.title,
    description: event.description,
    date: dateText(momentOf(event.date, '00:00') ? event.date : (local?.date ?? '')),
    time: momentOf('2000-01-01', event.time) ? event.time : (local?.time ?? ''),
    location: event.location,
    featuredArtist: event.featuredArtist,
    imageUrl: event.imageUrl,
    imageAlt: event.imageAlt,
    price: event.price === null ? '' : String(event.price),
  }
}
