import * as v from 'valibot'
import { call, send } from './http'

const Letter = v.object({
  id: v.string(),
  document: v.string(),
  type: v.string(),
  time: v.string(),
  attempts: v.number(),
  since: v.string(),
  error: v.string(),
})
const Trigger = v.object({
  name: v.string(),
  database: v.string(),
  target: v.string(),
  delivered: v.number(),
  pending: v.number(),
  waiting: v.number(),
  dead: v.number(),
  lost: v.number(),
  letters: v.array(Letter),
  error: v.optional(v.string(), ''),
  errorAt: v.optional(v.string(), ''),
})
const Triggers = v.object({ triggers: v.array(Trigger) })
export type Trigger = v.InferOutput<typeof Trigger>

/** The triggers with what they have delivered, and the first dead letters of each. */
export const loadTriggers = (signal?: AbortSignal) => call(Triggers, '/api/events', { signal })

/** Delivers the dead letters of a trigger again. */
export const retryTrigger = (trigger: string) => send('/api/events/retry', { body: { trigger } })
