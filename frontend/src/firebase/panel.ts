import { collection, doc, onSnapshot, orderBy, query, Timestamp } from 'firebase/firestore'
import { live } from './live'
import { plain } from './plain'

/** A document with its timestamps turned to dates. */
export type Row = { id: string; fields: Record<string, unknown> }
/** What a live query holds: `fromCache` says that the server has not confirmed it. */
export type Rows = { rows: Row[]; fromCache: boolean }
/** How a live query is ordered. */
export type Order = { field: string; direction: 'asc' | 'desc' }

/** Watches a whole collection in an order; returns how to stop. */
export function watchRows(name: string, order: Order, on: (rows: Rows) => void, onError: (code: string) => void): () => void {
  return onSnapshot(
    query(collection(live, name), orderBy(order.field, order.direction)),
    { includeMetadataChanges: true },
    (snapshot) => {
      const rows = snapshot.docs.map((d) => ({ id: d.id, fields: plain(d.data({ serverTimestamps: 'estimate' }), Timestamp) }))
      on({ rows, fromCache: snapshot.metadata.fromCache })
    },
    (error) => onError(error.code),
  )
}

/** Watches one document; a null row is an absent document. Returns how to stop. */
export function watchRow(path: string, on: (row: Row | null, fromCache: boolean) => void, onError: (code: string) => void): () => void {
  return onSnapshot(
    doc(live, path),
    { includeMetadataChanges: true },
    (d) => {
      const fields = d.data({ serverTimestamps: 'estimate' })
      on(fields ? { id: d.id, fields: plain(fields, Timestamp) } : null, d.metadata.fromCache)
    },
    (error) => onError(error.code),
  )
}
