import {
  collection,
  doc,
  type DocumentData,
  limit,
  onSnapshot,
  orderBy,
  type Query,
  query,
  type QueryDocumentSnapshot,
  Timestamp,
  where,
} from 'firebase/firestore'
import type { Evento } from '../lib/evento'
import { leerEvento } from '../lib/leer-evento'
import { live } from './live'

/** What a subscription tells: the events, and whether the server has confirmed them. */
type Oyente = { alRecibir: (eventos: Evento[], confirmado: boolean) => void; alFallar: (error: Error) => void }

const eventos = collection(live, 'MusicEvent')

function convertir(nota: QueryDocumentSnapshot): Evento {
  const datos: DocumentData = nota.data()
  return leerEvento(nota.id, { ...datos, eventDate: datos['eventDate'] instanceof Timestamp ? datos['eventDate'].toDate() : null })
}

function escuchar(consulta: Query, { alRecibir, alFallar }: Oyente): () => void {
  return onSnapshot(consulta, (foto) => alRecibir(foto.docs.map(convertir), !foto.metadata.fromCache), alFallar)
}

/** The next events from a moment on, at most `cuantos` (F-103). Answers how to stop listening. */
export function escucharProximos(desde: Date, cuantos: number, oyente: Oyente): () => void {
  return escuchar(query(eventos, where('eventDate', '>=', Timestamp.fromDate(desde)), orderBy('eventDate', 'asc'), limit(cuantos)), oyente)
}

/** The events from a moment up to another, which is left out (F-243). Answers how to stop listening. */
export function escucharTramo(desde: Date, hasta: Date, oyente: Oyente): () => void {
  const dentro = [where('eventDate', '>=', Timestamp.fromDate(desde)), where('eventDate', '<', Timestamp.fromDate(hasta))]
  return escuchar(query(eventos, ...dentro, orderBy('eventDate', 'asc')), oyente)
}

/** One event by its id: an empty list when there is none. Answers how to stop listening. */
export function escucharUno(id: string, { alRecibir, alFallar }: Oyente): () => void {
  return onSnapshot(doc(eventos, id), (foto) => alRecibir(foto.exists() ? [convertir(foto)] : [], !foto.metadata.fromCache), alFallar)
}
