import * as v from 'valibot'
import { call, withQuery } from './http'

const Sample = v.object({
  time: v.string(),
  commits: v.number(),
  writes: v.number(),
  reads: v.number(),
  queries: v.number(),
  denials: v.number(),
  signIns: v.number(),
  listeners: v.number(),
  latency: v.object({ p50: v.number(), p95: v.number(), p99: v.number() }),
  memory: v.number(),
  heap: v.number(),
  goroutines: v.number(),
  disk: v.number(),
  diskFree: v.number(),
  log: v.optional(v.number(), 0),
  lag: v.optional(v.number()),
  nodes: v.nullish(v.array(v.object({ name: v.string(), lag: v.number() })), []),
})
export type Sample = v.InferOutput<typeof Sample>

const SlowQuery = v.object({
  time: v.string(),
  project: v.string(),
  database: v.string(),
  text: v.string(),
  took: v.number(),
  entries: v.number(),
  documents: v.number(),
  results: v.number(),
  indexes: v.nullish(v.array(v.string()), []),
  missing: v.nullish(v.array(v.string()), []),
})
export type SlowQuery = v.InferOutput<typeof SlowQuery>

const counts = {
  reads: v.number(),
  writes: v.number(),
  deletes: v.number(),
  ttlDeletes: v.number(),
  sentBytes: v.number(),
  cost: v.nullish(v.number()),
}
const Usage = v.object({
  since: v.string(),
  total: v.object(counts),
  top: v.nullish(v.array(v.object({ pattern: v.string(), ...counts })), []),
  prices: v.nullish(v.object({ date: v.string(), location: v.string(), currency: v.string() })),
})
export type Usage = v.InferOutput<typeof Usage>

const Now = v.object({
  started: v.string(),
  interval: v.number(),
  samples: v.nullish(v.array(Sample), []),
  current: Sample,
  data: v.nullish(v.string()),
  slow: v.nullish(v.array(SlowQuery), []),
  slowFrom: v.optional(v.number(), 0),
  usage: v.nullish(Usage),
})

/** The counts of the last hour in samples of some seconds. */
export const loadNow = (signal?: AbortSignal) => call(Now, '/api/now', { signal })

const Line = v.object({
  n: v.number(),
  time: v.string(),
  level: v.string(),
  message: v.string(),
  attrs: v.optional(v.record(v.string(), v.string()), {}),
})
const Logs = v.object({ lines: v.nullish(v.array(Line), []), next: v.number() })

export const loadLogs = (level: string, q: string, signal?: AbortSignal) => call(Logs, withQuery('/api/logs', { level, q }), { signal })
