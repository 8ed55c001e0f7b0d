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
import { aboutOf, type AskedEvents } from './asked-events'
import { live } from './live'
import { recall, remember } from './seen-events'

/** The data of a subscription: the events, and whether the server has confirmed them. */
type Listener = { onEvents: (events: PublicEvent[], confirmed: boolean) => void; onError: (error: Error) => void }

const events = collection(live, 'MusicEvent')

function convert(snapshot: QueryDocumentSnapshot): PublicEvent {
  const data: DocumentData = snapshot.data()
  return readEvent(snapshot.id, { ...data, eventDate: data['eventDate'] instanceof Timestamp ? data['eventDate'].toDate() : null })
}

/** Passes the server's events to a listener and stores them. Without the server, passes those stored last (P-12). */
function teller(asked: AskedEvents, { onEvents }: Listener) {
  const count = 'id' in asked ? 1 : asked.limit
  const tell = (events: PublicEvent[], confirmed: boolean) => {
    if (confirmed) remember(events, aboutOf(asked, events))
    onEvents(confirmed || events.length > 0 ? events : recall(aboutOf(asked, [])).slice(0, count), confirmed)
  }
  // The SDK takes some time to report that the server does not respond.
  if (!navigator.onLine) tell([], false)
  return tell
}

function queryOf({ from, until, limit: count }: Exclude<AskedEvents, { id: string }>): Query {
  const before = until ? [where('eventDate', '<', Timestamp.fromDate(until))] : []
  const atMost = count === undefined ? [] : [limit(count)]
  return query(events, where('eventDate', '>=', Timestamp.fromDate(from)), ...before, orderBy('eventDate', 'asc'), ...atMost)
}

/** Listens to a query of events (F-103, F-243). The list is empty if there are none. Returns a function that stops listening. */
export function subscribeEvents(asked: AskedEvents, listener: Listener): () => void {
  const tell = teller(asked, listener)
  if ('id' in asked) {
    const one = doc(events, asked.id)
    return onSnapshot(one, (photo) => tell(photo.exists() ? [convert(photo)] : [], !photo.metadata.fromCache), listener.onError)
  }
  return onSnapshot(queryOf(asked), (photo) => tell(photo.docs.map(convert), !photo.metadata.fromCache), listener.onError)
}
