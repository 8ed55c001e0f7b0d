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
import { aboutOf, type EventQuery } from './event-query'
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
function reporter(selection: EventQuery, { onEvents }: Listener) {
  const count = 'id' in selection ? 1 : selection.limit
  const report = (events: PublicEvent[], confirmed: boolean) => {
    if (confirmed) remember(events, aboutOf(selection, events))
    onEvents(confirmed || events.length > 0 ? events : recall(aboutOf(selection, [])).slice(0, count), confirmed)
  }
  // The SDK takes some time to report that the server does not respond.
  if (!navigator.onLine) report([], false)
  return report
}

function queryOf({ from, until, limit: count }: Exclude<EventQuery, { id: string }>): Query {
  const before = until ? [where('eventDate', '<', Timestamp.fromDate(until))] : []
  const atMost = count === undefined ? [] : [limit(count)]
  return query(events, where('eventDate', '>=', Timestamp.fromDate(from)), ...before, orderBy('eventDate', 'asc'), ...atMost)
}

/** The listener also reports that the server does not respond any more. */
const WITH_STATE = { includeMetadataChanges: true }

/** Listens to a query of events (F-103, F-243). The list is empty if there are none. Returns a function that stops listening. */
export function subscribeEvents(selection: EventQuery, listener: Listener): () => void {
  const report = reporter(selection, listener)
  if ('id' in selection) {
    const one = doc(events, selection.id)
    return onSnapshot(
      one,
      WITH_STATE,
      (snapshot) => report(snapshot.exists() ? [convert(snapshot)] : [], !snapshot.metadata.fromCache),
      listener.onError,
    )
  }
  return onSnapshot(
    queryOf(selection),
    WITH_STATE,
    (snapshot) => report(snapshot.docs.map(convert), !snapshot.metadata.fromCache),
    listener.onError,
  )
}
