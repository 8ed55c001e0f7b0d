import * as v from 'valibot'
import type { PublicEvent } from '../lib/event'
import { readEvent } from '../lib/read-event'
import { aboutOf, type EventQuery } from './event-query'
import { configuration, firestoreSettings } from './config'
import { remember } from './seen-events'

/** A value of a document in Firestore's REST interface, such as `{ integerValue: '3' }`. */
const value = v.record(v.string(), v.unknown())
const document = v.object({ name: v.string(), fields: v.optional(v.record(v.string(), value), {}) })
const answer = v.array(v.object({ document: v.optional(document) }))

type Document = v.InferOutput<typeof document>

/** The decoded value; undefined for types that no event has, such as a map. */
function plainValue({ stringValue, integerValue, doubleValue, timestampValue }: v.InferOutput<typeof value>): unknown {
  if (typeof timestampValue === 'string') return new Date(timestampValue)
  const number = integerValue ?? doubleValue
  return number === undefined ? stringValue : Number(number)
}

function eventOf({ name, fields }: Document): PublicEvent {
  return readEvent(
    name.slice(name.lastIndexOf('/') + 1),
    Object.fromEntries(Object.entries(fields).map(([field, held]) => [field, plainValue(held)])),
  )
}

/**
 * Sends a request below the database's documents. Resolves to its JSON, null for a document that does not exist;
 * rejects with any other refusal.
 */
async function request(path: string, options?: RequestInit): Promise<unknown> {
  const settings = firestoreSettings()
  const origin = 'host' in settings ? `http${settings.ssl ? 's' : ''}://${settings.host}` : 'https://firestore.googleapis.com'
  const url = `${origin}/v1/projects/${configuration.projectId}/databases/(default)/documents${path}`
  const response = await fetch(`${url}?key=${encodeURIComponent(configuration.apiKey)}`, options)
  if (response.status === 404) return null
  if (!response.ok) throw new Error(`Firestore: ${response.status}`)
  return response.json()
}

/** The fields that visitors see. */
const SHOWN = 'title description location featuredArtist price date time eventDate imageUrl imageAlt'.split(' ')
const field = { fieldPath: 'eventDate' }
const compare = (op: string, moment: Date) => ({ fieldFilter: { field, op, value: { timestampValue: moment.toISOString() } } })

/** The query of a time range, the same as the live one (events.ts). */
function queryOf({ from, until, limit }: Exclude<EventQuery, { id: string }>): object {
  const filters = [compare('GREATER_THAN_OR_EQUAL', from), ...(until ? [compare('LESS_THAN', until)] : [])]
  return {
    select: { fields: SHOWN.map((fieldPath) => ({ fieldPath })) },
    from: [{ collectionId: 'MusicEvent' }],
    where: { compositeFilter: { op: 'AND', filters } },
    orderBy: [{ field, direction: 'ASCENDING' }],
    ...(limit === undefined ? {} : { limit }),
  }
}

async function documentsOf(selection: EventQuery): Promise<Document[]> {
  if ('id' in selection) {
    const found = await request(`/MusicEvent/${encodeURIComponent(selection.id)}`)
    return found === null ? [] : [v.parse(document, found)]
  }
  const body = JSON.stringify({ structuredQuery: queryOf(selection) })
  const found = await request(':runQuery', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  return v.parse(answer, found).flatMap((part) => part.document ?? [])
}

/**
 * The events of a query, by one request. It loads the first rows, before the client of live queries, which is sixty
 * times as large, is loaded. Rejects if the server cannot be reached or refuses.
 */
export async function readEvents(selection: EventQuery): Promise<PublicEvent[]> {
  const events = (await documentsOf(selection)).map(eventOf)
  remember(events, aboutOf(selection, events))
  return events
}
