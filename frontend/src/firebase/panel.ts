import {
  collection,
  doc,
  getCountFromServer,
  getDocsFromServer,
  limit,
  onSnapshot,
  orderBy,
  query,
  type QueryConstraint,
  type QueryDocumentSnapshot,
  Timestamp,
  where,
} from 'firebase/firestore'
import { live } from './live'
import { plain } from './plain'

/** A document with its timestamps converted to dates. */
export type Row = { id: string; fields: Record<string, unknown> }
/** The result of a live query; `fromCache` is set if the server has not confirmed it. */
export type Rows = { rows: Row[]; fromCache: boolean }
/** The order of a query. */
export type Order = { field: string; direction: 'asc' | 'desc' }
/** The conditions of a query of a collection, which are combined by "and". */
export type Condition = readonly [field: string, operator: '>=' | '<' | 'in', value: Date | readonly string[]]
/** A query. `most` is the maximum number of rows; all if absent. */
export type Wanted = { order: Order; most?: number | undefined; only?: Condition | undefined }

function conditionOf(only: Condition | undefined): QueryConstraint[] {
  if (!only) return []
  const [field, operator, value] = only
  return [where(field, operator, value instanceof Date ? Timestamp.fromDate(value) : value)]
}

function queryOf(name: string, { order, most, only }: Wanted) {
  const limits = most === undefined ? [] : [limit(most)]
  return query(collection(live, name), ...conditionOf(only), orderBy(order.field, order.direction), ...limits)
}

const rowOf = (d: QueryDocumentSnapshot): Row => ({ id: d.id, fields: plain(d.data({ serverTimestamps: 'estimate' }), Timestamp) })

/** Watches rows of a collection. Returns a function that stops it. */
export function watchRows(name: string, wanted: Wanted, on: (rows: Rows) => void, onError: (code: string) => void): () => void {
  return onSnapshot(
    queryOf(name, wanted),
    { includeMetadataChanges: true },
    (snapshot) => on({ rows: snapshot.docs.map(rowOf), fromCache: snapshot.metadata.fromCache }),
    (error) => onError(error.code),
  )
}

/** Reads rows of a collection once. */
export async function readRows(name: string, wanted: Wanted): Promise<Row[]> {
  return (await getDocsFromServer(queryOf(name, wanted))).docs.map(rowOf)
}

/** Counts rows of a collection on the server. */
export async function countRows(name: string, only?: Condition): Promise<number> {
  return (await getCountFromServer(query(collection(live, name), ...conditionOf(only)))).data().count
}

/** Watches one document. A null row is a missing document. Returns a function that stops it. */
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
