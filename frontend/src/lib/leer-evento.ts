import * as v from 'valibot'
import type { Evento } from './evento'
import { enLocal, esFecha, fechaCorta, momentoDe, RAYA } from './fechas'
import { imagenSegura } from './url-segura'

const texto = v.fallback(v.string(), '')

/** A stored event as it may come: older records lack fields, and nothing is sure to be of its type. */
const Guardado = v.object({
  title: texto,
  description: texto,
  location: texto,
  featuredArtist: texto,
  price: v.fallback(v.nullable(v.pipe(v.number(), v.finite())), null),
  date: texto,
  time: texto,
  eventDate: v.fallback(v.nullable(v.date()), null),
  imageUrl: texto,
})

/** The date and time shown: the record's own texts, else those of its moment (D-28). A wrong date has no time either. */
function mostrar(date: string, time: string, momento: Date | null): { fecha: string; hora: string } {
  const local = enLocal(momento)
  const dia = date.trim() || local?.fecha || ''
  if (!momentoDe(dia, '00:00')) return { fecha: RAYA, hora: RAYA }
  const hora = time.trim() || local?.hora || ''
  return { fecha: fechaCorta(dia), hora: momentoDe(dia, hora) ? hora : RAYA }
}

/** Reads a stored event. */
export function leerEvento(id: string, datos: unknown): Evento {
  const { title, description, location, featuredArtist, price, date, time, eventDate, imageUrl } = v.parse(Guardado, datos)
  const momento = esFecha(eventDate) ? eventDate : null
  return {
    id,
    titulo: title.trim(),
    descripcion: description.trim(),
    lugar: location.trim(),
    artista: featuredArtist.trim(),
    precio: price,
    imagen: imagenSegura(imageUrl),
    momento,
    ...mostrar(date, time, momento),
  }
}
