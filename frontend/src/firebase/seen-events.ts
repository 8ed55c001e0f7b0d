import * as v from 'valibot'
import type { PublicEvent } from '../lib/event'
import type { About } from './event-query'

/** The storage key of the events that were shown last. */
const KEY = 'eventos-vistos'
const MOST = 100

const Seen = v.array(
  v.object({
    id: v.string(),
    title: v.string(),
    description: v.string(),
    place: v.string(),
    artist: v.string(),
    price: v.nullable(v.number()),
    image: v.nullable(v.string()),
    imageAlt: v.string(),
    moment: v.nullable(
      v.pipe(
        v.string(),
        v.transform((text) => new Date(text)),
        v.date(),
      ),
    ),
    date: v.string(),
    time: v.string(),
  }),
)

function read(): PublicEvent[] {
  try {
    return v.parse(Seen, JSON.parse(localStorage.getItem(KEY) ?? '[]'))
  } catch {
    // Foreign data, or a browser without storage.
    return []
  }
}

/** Stores the server's latest result. Requested events that are missing in it no longer exist. */
export function remember(events: readonly PublicEvent[], about: About): void {
  const named = new Set(events.map(({ id }) => id))
  const others = read().filter((event) => !named.has(event.id) && !about(event))
  try {
    localStorage.setItem(KEY, JSON.stringify([...events, ...others].slice(0, MOST)))
  } catch {
    // Storage is full or forbidden. Events are then available only with a connection.
  }
}

/** The events that were shown last, in the order of time. */
export function recall(about: About): PublicEvent[] {
  return read()
    .filter(about)
    .toSorted((a, b) => (a.moment?.getTime() ?? 0) - (b.moment?.getTime() ?? 0))
}
