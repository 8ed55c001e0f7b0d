import * as v from 'valibot'
import { call } from './http'

const Trial = { backup: v.string(), time: v.string(), second: v.optional(v.string(), '') }

const Backups = v.object({
  place: v.string(),
  everySec: v.number(),
  proveSec: v.number(),
  proof: v.optional(v.object({ ...Trial, failed: v.optional(v.object({ ...Trial, reason: v.string() })) })),
  failures: v.number(),
  unproved: v.number(),
  failure: v.optional(v.string(), ''),
  count: v.number(),
  log: v.optional(v.object({ shipped: v.optional(v.string(), '') })),
  backups: v.array(
    v.object({ name: v.string(), time: v.string(), bytes: v.number(), damage: v.optional(v.string(), ''), proved: v.boolean() }),
  ),
})

export type Backups = v.InferOutput<typeof Backups>

/** The scheduled backups, the newest first, and their last trial restore. */
export const loadBackups = (signal?: AbortSignal) => call(Backups, '/api/backups', { signal })
