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
import type { PublicEvent } from '../lib/event'
import { readEvent } from '../lib/read-event'
import { live } from './live'

/** What a subscription tells: the events, and whether the server has confirmed them. */
type Listener = { onEvents: (events: PublicEvent[], confirmed: boolean) => void; onError: (error: Error) => void }

const events = collection(live, 'MusicEvent')

function convert(snapshot: QueryDocumentSnapshot): PublicEvent {
  const data: DocumentData = snapshot.data()
  return readEvent(snapshot.id, { ...data, eventDate: data['eventDate'] instanceof Timestamp ? data['eventDate'].toDate() : null })
}

function subscribe(consulta: Query, { onEvents, onError }: Listener): () => void {
  return onSnapshot(consulta, (photo) => onEvents(photo.docs.map(convert), !photo.metadata.fromCache), onError)
}

/** The next events from a moment on, at most `cuantos` (F-103). Answers how to stop listening. */
export function subscribeUpcoming(from: Date, count: number, listener: Listener): () => void {
  return subscribe(query(events, where('eventDate', '>=', Timestamp.fromDate(from)), orderBy('eventDate', 'asc'), limit(count)), listener)
}

/** The events from a moment up to another, which is left out (F-243). Answers how to stop listening. */
export function subscribeRange(from: Date, until: Date, listener: Listener): () => void {
  const inside = [where('eventDate', '>=', Timestamp.fromDate(from)), where('eventDate', '<', Timestamp.fromDate(until))]
  return subscribe(query(events, ...inside, orderBy('eventDate', 'asc')), listener)
}

/** One event by its id: an empty list when there is none. Answers how to stop listening. */
export function subscribeOne(id: string, { onEvents, onError }: Listener): () => void {
  return onSnapshot(doc(events, id), (photo) => onEvents(photo.exists() ? [convert(photo)] : [], !photo.metadata.fromCache), onError)
}
