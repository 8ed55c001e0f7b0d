import { initializeApp } from 'firebase/app'
import {
  and,
  Bytes,
  collection,
  collectionGroup,
  type DocumentData,
  doc,
  documentId,
  endAt,
  type Firestore,
  GeoPoint,
  initializeFirestore,
  limit,
  onSnapshot,
  or,
  orderBy,
  type Query as SdkQuery,
  query as sdkQuery,
  type QueryNonFilterConstraint,
  startAt,
  Timestamp,
  vector,
  where,
} from 'firebase/firestore'
import { fullOrder, type Query } from '../lib/query'
import type { Scope } from '../lib/scope'
import type { Value } from '../lib/value'
import { relativeName, timeParts } from '../lib/value-text'

/**
 * A part of a collection whose changes the Firebase SDK reports. The values are read again over REST, because the SDK's numbers do not
 * distinguish 64-bit integers from doubles.
 */
export type Watch = {
  scope: Scope
  collection: string
  group: boolean
  /** The ids of the first and last watched document; null means no bound. */
  from: string | null
  to: string | null
  limit: number
  /** Conditions and orders. With them there are no bounds. */
  query: Query | null
}

export type Changes = { added: string[]; modified: string[]; removed: string[]; first: boolean }

const apps = new Map<string, ReturnType<typeof initializeFirestore>>()

function databaseOf({ project, database }: Scope) {
  const key = `${project} ${database}`
  const known = apps.get(key)
  if (known) return known
  const app = initializeApp({ projectId: project, apiKey: 'console' }, key)
  const db = initializeFirestore(app, { host: location.host, ssl: location.protocol === 'https:' }, database)
  apps.set(key, db)
  return db
}

function sdkTimestamp(iso: string): Timestamp {
  const { seconds, nanos } = timeParts(iso)
  return new Timestamp(seconds, nanos)
}

/** A value in the SDK's form. */
function sdkValue(db: Firestore, value: Value): unknown {
  switch (value.type) {
    case 'null':
      return null
    case 'integer':
      return Number(value.value)
    case 'timestamp':
      return sdkTimestamp(value.value)
    case 'bytes':
      return Bytes.fromBase64String(value.value)
    case 'reference':
      return doc(db, relativeName(value.value))
    case 'geopoint':
      return new GeoPoint(value.latitude, value.longitude)
    case 'vector':
      return vector(value.value)
    case 'array':
      return value.value.map((item) => sdkValue(db, item))
    case 'map':
      return Object.fromEntries(Object.entries(value.value).map(([name, of]) => [name, sdkValue(db, of)]))
    case 'boolean':
    case 'double':
    case 'string':
      return value.value
  }
}

const sdkField = (field: string) => (field === '__name__' ? documentId() : field)

function watched(watch: Watch): SdkQuery<DocumentData> {
  const db = databaseOf(watch.scope)
  const base = watch.group ? collectionGroup(db, watch.collection) : collection(db, watch.collection)
  const { query } = watch
  if (query) {
    const filters = query.where.map((c) => where(sdkField(c.field), c.op, sdkValue(db, c.value)))
    const constraints: QueryNonFilterConstraint[] = fullOrder(query).map((o) => orderBy(sdkField(o.field), o.direction))
    constraints.push(limit(watch.limit))
    return sdkQuery(base, query.match === 'any' ? or(...filters) : and(...filters), ...constraints)
  }
  const bounds: QueryNonFilterConstraint[] = [orderBy(documentId())]
  if (watch.from !== null) bounds.push(startAt(watch.from))
  if (watch.to !== null) bounds.push(endAt(watch.to))
  bounds.push(limit(watch.limit))
  return sdkQuery(base, ...bounds)
}

/** The reports of a watch. */
export type Watcher = {
  /** The server has confirmed the documents, with their changes since the last report. */
  changed: (changes: Changes) => void
  /** The server has not confirmed the documents, because the connection is not established or is lost. */
  waiting: () => void
  /** The server has refused the watch, which has ended. */
  failed: (error: Error) => void
}

/**
 * Watches until the returned function is called. Documents that another watch has received before come from the SDK's
 * cache; their confirmation by the server is a change of metadata only.
 */
export function watchDocuments(watch: Watch, { changed, waiting, failed }: Watcher): () => void {
  let changes: Changes = { added: [], modified: [], removed: [], first: true }
  return onSnapshot(
    watched(watch),
    { includeMetadataChanges: true },
    (snapshot) => {
      for (const change of snapshot.docChanges()) changes[change.type].push(change.doc.ref.path)
      if (snapshot.metadata.fromCache) {
        waiting()
        return
      }
      changed(changes)
      changes = { added: [], modified: [], removed: [], first: false }
    },
    failed,
  )
}

/**
 * Watches one document until the returned function is called. changed is called when the server has confirmed it, at
 * first and after changes.
 */
export function watchDocument(scope: Scope, path: string, changed: () => void): () => void {
  return onSnapshot(
    doc(databaseOf(scope), path),
    { includeMetadataChanges: true },
    (snapshot) => {
      if (!snapshot.metadata.fromCache) changed()
    },
    () => {},
  )
}
