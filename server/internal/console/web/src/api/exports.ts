import * as v from 'valibot'
import { type Query, type Source, structuredQuery } from '../lib/query'
import { documentsRoot, type Scope } from '../lib/scope'
import { call, send, withQuery } from './http'
import type { Directory } from './users'

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

/** Prepares a file of all documents of a database, by their paths. */
export async function startDatabaseExport(scope: Scope, name: string): Promise<string> {
  const body = { ...scope, parent: '', query: { from: [{ allDescendants: true }] }, format: 'json', name }
  return (await call(Started, '/api/export', { body })).export
}

/** Prepares a file of all users of a project or a tenant, in the form of `firebase auth:export`. */
export async function startUsersExport({ project, tenant }: Directory, name: string): Promise<string> {
  return (await call(Started, '/api/users/export', { body: { project, tenant, name } })).export
}

/** The address of an export's file. It works once. */
export const exportPath = (token: string): string => `/api/export/${token}`

const Progress = v.object({
  state: v.picklist(['waiting', 'sending', 'done', 'failed']),
  written: v.number(),
  columns: v.number(),
  error: v.optional(v.object({ message: v.string(), status: v.optional(v.string(), '') })),
})

/** How much of an export's file has been sent. */
export const loadExport = (token: string) => call(Progress, withQuery('/api/export', { export: token }))

/** Ends an export. */
export const stopExport = (token: string) => send(exportPath(token), { method: 'DELETE' })
