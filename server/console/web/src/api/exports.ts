import * as v from 'valibot'
import { type Query, type Source, structuredQuery } from '../lib/query'
import { documentsRoot, type Scope } from '../lib/scope'
import { call, send, withQuery } from './http'

export type Format = 'json' | 'csv'

const Started = v.object({ export: v.string() })

/** Prepares a file of all documents of a query, which the server writes. Returns the export's token. */
export async function startExport(
  scope: Scope,
  { query, source, format, name }: { query: Query; source: Source & { parent: string }; format: Format; name: string },
): Promise<string> {
  const root = documentsRoot(scope)
  const collection = `${source.parent ? `${root}/${source.parent}` : root}/${source.collection}`
  const body = { ...scope, parent: source.parent, query: structuredQuery(query, source, collection), format, name }
  return (await call(Started, '/api/export', { body })).export
}

/** The address of an export's file. It works once. */
export const exportPath = (token: string): string => `/api/export/${token}`

const Progress = v.object({
  state: v.picklist(['waiting', 'sending', 'done', 'failed']),
  documents: v.number(),
  columns: v.number(),
  error: v.optional(v.object({ message: v.string(), status: v.optional(v.string(), '') })),
})

/** How much of an export's file has been sent. */
export const loadExport = (token: string) => call(Progress, withQuery('/api/export', { export: token }))

/** Ends an export. */
export const stopExport = (token: string) => send(exportPath(token), { method: 'DELETE' })
