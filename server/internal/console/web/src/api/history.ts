import * as v from 'valibot'
import type { Scope } from '../lib/scope'
import { type Fields, fieldsFromWire, WireFields } from '../lib/value'
import { call, send, withQuery } from './http'

const Version = v.object({
  time: v.string(),
  change: v.picklist(['create', 'update', 'delete', 'before']),
  exists: v.boolean(),
  changed: v.nullish(v.array(v.string()), []),
})
export type Version = v.InferOutput<typeof Version>
const History = v.object({
  path: v.string(),
  since: v.string(),
  versions: v.nullish(v.array(Version), []),
  more: v.optional(v.boolean(), false),
})

/** The versions of a document within the retention, newest first. */
export const loadHistory = (scope: Scope, path: string, signal?: AbortSignal) =>
  call(History, withQuery('/api/history', { ...scope, path, limit: 50 }), { signal })

const At = v.object({ time: v.string(), document: v.nullable(v.object({ fields: v.optional(WireFields, {}) })) })

/** The fields of a document at a time; null if it did not exist. */
export async function loadVersion(scope: Scope, path: string, at: string, signal?: AbortSignal): Promise<Fields | null> {
  const { document } = await call(At, withQuery('/api/history/version', { ...scope, path, at }), { signal })
  return document && fieldsFromWire(document.fields)
}

export const restoreVersion = (scope: Scope, path: string, at: string) => send('/api/history/restore', { body: { ...scope, path, at } })
