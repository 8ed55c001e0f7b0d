import * as v from 'valibot'
import type { Scope } from '../lib/scope'
import { call, send, withQuery } from './http'

const Entry = v.object({
  n: v.number(),
  time: v.string(),
  session: v.optional(v.string(), ''),
  address: v.optional(v.string(), ''),
  method: v.string(),
  database: v.optional(v.string(), ''),
  targets: v.nullish(v.array(v.string()), []),
  count: v.optional(v.number(), 0),
  result: v.string(),
})
const Audit = v.object({ entries: v.nullish(v.array(Entry), []), more: v.optional(v.boolean(), false) })
export type AuditEntry = v.InferOutput<typeof Entry>

/** The changes made through the console, newest first. */
export const loadAudit = (before: number | null, signal?: AbortSignal) =>
  call(Audit, withQuery('/api/audit', { limit: 200, before: before ?? undefined }), { signal })

const Codes = v.object({
  oob: v.array(
    v.object({
      email: v.string(),
      requestType: v.string(),
      oobCode: v.string(),
      oobLink: v.string(),
      to: v.optional(v.string(), ''),
      subject: v.optional(v.string(), ''),
      text: v.optional(v.string(), ''),
    }),
  ),
  sms: v.array(v.object({ phoneNumber: v.string(), code: v.string() })),
})

export type Mail = v.InferOutput<typeof Codes>['oob'][number]

/** The e-mails and text messages that a server for development does not send. */
export const loadCodes = (project: string, locale: string, signal?: AbortSignal) =>
  call(Codes, withQuery('/api/codes', { project, locale }), { signal })

const IndexField = v.object({
  path: v.string(),
  order: v.optional(v.picklist(['ASCENDING', 'DESCENDING'])),
  array: v.optional(v.boolean()),
  vector: v.optional(v.number()),
})
const Index = v.object({
  collection: v.string(),
  scope: v.picklist(['COLLECTION', 'COLLECTION_GROUP']),
  fields: v.array(IndexField),
  state: v.optional(v.string(), ''),
  origin: v.optional(v.string(), ''),
  json: v.optional(v.string(), ''),
  count: v.optional(v.number(), 0),
  last: v.optional(v.string(), ''),
  uses: v.optional(v.number(), 0),
  lastUse: v.optional(v.string(), ''),
  entries: v.optional(v.number(), 0),
  bytes: v.optional(v.number(), 0),
  more: v.optional(v.boolean(), false),
})
const Indexes = v.object({
  mode: v.string(),
  file: v.nullish(v.string()),
  indexes: v.nullish(v.array(Index), []),
  needed: v.nullish(v.array(Index), []),
  since: v.optional(v.string(), ''),
})
export type Index = v.InferOutput<typeof Index>
type Indexes = v.InferOutput<typeof Indexes>

export const loadIndexes = (scope: Scope, signal?: AbortSignal) => call(Indexes, withQuery('/api/indexes', scope), { signal })

/** Adds a missing index to the database's file and returns the file's path. */
export async function addIndex(scope: Scope, json: string): Promise<string> {
  return (await call(v.object({ file: v.string() }), '/api/indexes/file', { body: { ...scope, json } })).file
}

/** Sends a test e-mail. */
export const sendTestMail = (to: string, locale: string) => send('/api/safety/mail', { body: { to, locale } })

const Check = v.object({
  id: v.string(),
  state: v.picklist(['ok', 'warn', 'bad', 'unknown']),
  text: v.string(),
  case: v.optional(v.string(), ''),
  values: v.optional(v.record(v.string(), v.nullable(v.union([v.string(), v.number(), v.boolean()]))), {}),
})
export type Check = v.InferOutput<typeof Check>
export const loadSafety = (signal?: AbortSignal) => call(v.object({ checks: v.array(Check) }), '/api/safety', { signal })

const Faults = v.object({
  calls: v.picklist(['all', 'reads', 'writes', 'streams']),
  percent: v.number(),
  delay: v.number(),
  error: v.picklist(['', 'UNAVAILABLE', 'ABORTED', 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED', 'INTERNAL']),
})
export type Faults = v.InferOutput<typeof Faults>

const Lab = v.object({
  clock: v.nullish(v.object({ now: v.string(), ahead: v.number() })),
  faults: v.nullish(v.object({ ...Faults.entries, injected: v.number() })),
  snapshots: v.nullish(v.array(v.object({ id: v.string(), project: v.string(), name: v.string(), time: v.string() })), []),
})
export const loadLab = (signal?: AbortSignal) => call(Lab, '/api/lab', { signal })
export type LabState = v.InferOutput<typeof Lab>
export const makeSnapshot = (project: string, name: string) => send('/api/lab/snapshots', { body: { project, name } })
export const restoreSnapshot = (project: string, id: string) =>
  send(`/api/lab/snapshots/${encodeURIComponent(id)}/restore`, { body: { project } })
export const deleteSnapshot = (id: string) => send(`/api/lab/snapshots/${encodeURIComponent(id)}`, { method: 'DELETE' })
/** Sets how many seconds the server's clock is ahead of the machine's. */
export const putClock = (ahead: number) => send('/api/lab/clock', { method: 'PUT', body: { ahead } })
/** Sets the server's clock by seconds further ahead than it is at the server, which may be further than a page shows. */
export const advanceClock = (by: number) => send('/api/lab/clock/advance', { body: { by } })
export const injectFaults = (faults: Faults) => send('/api/lab/faults', { method: 'PUT', body: faults })
export const endFaults = () => send('/api/lab/faults', { method: 'DELETE' })
export const clearLab = (scope: Scope, what: 'documents' | 'accounts') => send('/api/lab/clear', { body: { ...scope, what } })
