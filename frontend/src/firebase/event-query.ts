import type { PublicEvent } from '../lib/event'

/** A query of events: one by its id, or those from a time on, optionally before another time, at most `limit`, in the order of time. */
export type EventQuery = { id: string } | { from: Date; until?: Date; limit?: number }

/** Selects the events that an answer covers. */
export type About = (event: PublicEvent) => boolean

/** The events that an answer covers. Those that are missing in the answer no longer exist. */
export function aboutOf(selection: EventQuery, found: readonly PublicEvent[]): About {
  if ('id' in selection) return ({ id }) => id === selection.id
  const { from, limit } = selection
  // A full page does not show whether there are more documents.
  const until = limit !== undefined && found.length >= limit ? (found.at(-1)?.moment ?? undefined) : selection.until
  return ({ moment }) => moment !== null && moment >= from && (!until || moment < until)
}
