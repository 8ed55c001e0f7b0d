import * as v from 'valibot'
import { type Query, structuredQuery } from '../lib/query'
import { documentsRoot, type Scope } from '../lib/scope'
import type { WireValue } from '../lib/value'
import { type Doc, docOf, RestDocument } from './firestore'
import { call, withQuery } from './http'
import { rowsPath } from './paths'

/** A document as a table shows it: the values of its fields are shortened. size is that of the whole document, in bytes. */
export type RowDoc = Doc & { size: number }

const Rows = v.object({
  rows: v.pipe(
    v.array(v.object({ document: RestDocument, size: v.number() })),
    v.transform((rows) => rows.map(({ document, size }): RowDoc => ({ ...docOf(document), size }))),
  ),
  next: v.optional(v.string(), ''),
  more: v.optional(v.boolean(), false),
})
export type RowPage = v.InferOutput<typeof Rows>

/** A page of a collection in the order of ids, including missing documents with documents below them. */
export const listRows = (scope: Scope, collection: string, token: string, signal?: AbortSignal): Promise<RowPage> =>
  call(Rows, rowsPath(scope, collection, token), { signal })

type Run = {
  query: Query
  source: { collection: string; group: boolean; parent: string }
  after: WireValue[] | null
  size: number
  signal?: AbortSignal
}

/** A page of a query's documents: as many as were asked for, unless there are no more or their size fills a page. */
export function queryRows(scope: Scope, { query, source, after, size, signal }: Run): Promise<RowPage> {
  const parent = source.parent ? `${documentsRoot(scope)}/${source.parent}` : documentsRoot(scope)
  const structured = structuredQuery(query, source, `${parent}/${source.collection}`, { after, size })
  return call(Rows, withQuery('/api/rows', { ...scope, parent: source.parent, query: JSON.stringify(structured) }), { signal })
}

/** The rows of the existing documents at some paths. */
export async function rowsAt(scope: Scope, paths: readonly string[], signal?: AbortSignal): Promise<Map<string, RowDoc>> {
  const { rows } = await call(Rows, '/api/rows', { body: { ...scope, paths }, signal })
  return new Map(rows.map((row) => [row.path, row]))
}
