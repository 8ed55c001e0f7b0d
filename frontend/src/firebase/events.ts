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
import { type About, recall, remember } from './seen-events'

/** The data of a subscription: the events, and whether the server has confirmed them. */
type Listener = { onEvents: (events: PublicEvent[], confirmed: boolean) => void; onError: (error: Error) => void }

const events = collection(live, 'MusicEvent')

function convert(snapshot: QueryDocumentSnapshot): PublicEvent {
  const data: DocumentData = snapshot.data()
  return readEvent(snapshot.id, { ...data, eventDate: data['eventDate'] instanceof Timestamp ? data['eventDate'].toDate() : null })
}

/** Passes the server's events to a listener and keeps them; without the server, those that were kept last (P-12). */
function teller({ onEvents }: Listener, about: (events: readonly PublicEvent[]) => About, count = Infinity) {
  const tell = (events: PublicEvent[], confirmed: boolean) => {
    if (confirmed) remember(events, about(events))
    onEvents(confirmed || events.length > 0 ? events : recall(about([])).slice(0, count), confirmed)
  }
  // The SDK takes some time until it reports that the server does not respond.
  if (!navigator.onLine) tell([], false)
  return tell
}

function subscribe(matching: Query, tell: (events: PublicEvent[], confirmed: boolean) => void, { onError }: Listener): () => void {
  return onSnapshot(matching, (photo) => tell(photo.docs.map(convert), !photo.metadata.fromCache), onError)
}

/** The next events from a moment on, at most `count` (F-103). Answers how to stop listening. */
export function subscribeUpcoming(from: Date, count: number, listener: Listener): () => void {
  const next = query(events, where('eventDate', '>=', Timestamp.fromDate(from)), orderBy('eventDate', 'asc'), limit(count))
  // A full page does not show whether there are more documents.
  const about = (found: readonly PublicEvent[]): About => {
    const until = found.length < count ? undefined : found.at(-1)?.moment
    return ({ moment }) => moment !== null && moment >= from && (!until || moment < until)
  }
  return subscribe(next, teller(listener, about, count), listener)
}

/** The events from a moment up to another, which is left out (F-243). Answers how to stop listening. */
export function subscribeRange(from: Date, until: Date, listener: Listener): () => void {
  const inside = [where('eventDate', '>=', Timestamp.fromDate(from)), where('eventDate', '<', Timestamp.fromDate(until))]
  const about: About = ({ moment }) => moment !== null && moment >= from && moment < until
  const tell = teller(listener, () => about)
  return subscribe(query(events, ...inside, orderBy('eventDate', 'asc')), tell, listener)
}

/** One event by its id: an empty list when there is none. Answers how to stop listening. */
export function subscribeOne(id: string, listener: Listener): () => void {
  const tell = teller(listener, () => (event) => event.id === id)
  return onSnapshot(doc(events, id), (photo) => tell(photo.exists() ? [convert(photo)] : [], !photo.metadata.fromCache), listener.onError)
}
