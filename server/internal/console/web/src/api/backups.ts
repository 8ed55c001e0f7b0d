import * as v from 'valibot'
import { call } from './http'

const Backups = v.object({
  place: v.string(),
  everySec: v.number(),
  proveSec: v.number(),
  proved: v.optional(v.string(), ''),
  failures: v.number(),
  unproved: v.number(),
  failure: v.optional(v.string(), ''),
  count: v.number(),
  backups: v.array(
    v.object({ name: v.string(), time: v.string(), bytes: v.number(), damage: v.optional(v.string(), ''), proved: v.boolean() }),
  ),
})

/** The scheduled backups, the newest first, and their last trial restore. */
export const loadBackups = (signal?: AbortSignal) => call(Backups, '/api/backups', { signal })
