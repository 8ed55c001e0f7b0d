import { sitio } from '../content/sitio'
import type { Evento } from './evento'
import { enLocal } from './fechas'

/** An event for search engines (schema.org), its start in the foundation's own time. */
export function datosEvento({ titulo, descripcion, lugar, artista, precio, momento, imagen }: Evento, url: string): object {
  const local = enLocal(momento)
  return {
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: titulo,
    url,
    eventStatus: 'https://schema.org/EventScheduled',
    eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
    organizer: { '@type': 'NGO', name: sitio.nombre, url: new URL('/', url).href },
    ...(local ? { startDate: `${local.fecha}T${local.hora}:00-04:00` } : {}),
    ...(descripcion ? { description: descripcion } : {}),
    ...(lugar ? { location: { '@type': 'Place', name: lugar, address: lugar } } : {}),
    ...(artista ? { performer: { '@type': 'Person', name: artista } } : {}),
    ...(precio === null ? {} : { offers: { '@type': 'Offer', price: precio, priceCurrency: 'DOP', url } }),
    ...(imagen?.startsWith('data:') === false ? { image: new URL(imagen, url).href } : {}),
  }
}
