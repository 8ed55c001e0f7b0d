import { site } from '../content/sitio'
import type { PublicEvent } from './event'
import { sharedPicture } from './picture'
import { toLocal } from './dates'

/** An event for search engines (schema.org). Its start is in the foundation's zone. */
export function eventData({ title, description, place, artist, price, moment, image }: PublicEvent, url: string): object {
  const local = toLocal(moment)
  return {
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: title,
    url,
    eventStatus: 'https://schema.org/EventScheduled',
    eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
    organizer: { '@type': 'NGO', name: site.name, url: new URL('/', url).href },
    ...(local ? { startDate: `${local.date}T${local.time}:00-04:00` } : {}),
    ...(description ? { description: description } : {}),
    ...(place ? { location: { '@type': 'Place', name: place, address: place } } : {}),
    ...(artist ? { performer: { '@type': 'Person', name: artist } } : {}),
    ...(price === null ? {} : { offers: { '@type': 'Offer', price: price, priceCurrency: 'DOP', url } }),
    ...(image?.startsWith('data:') === false ? { image: new URL(sharedPicture(image), url).href } : {}),
  }
}
