import * as v from 'valibot'
import type { Scope } from '../lib/scope'
import { call, withQuery } from './http'

const Issue = v.object({
  line: v.number(),
  column: v.number(),
  start: v.number(),
  end: v.number(),
  severity: v.picklist(['ERROR', 'WARNING']),
  text: v.string(),
})
export type Issue = v.InferOutput<typeof Issue>
const Issues = v.nullish(v.array(Issue), [])

const Rules = v.object({
  source: v.nullable(v.string()),
  file: v.nullish(v.string()),
  scope: v.optional(v.string(), ''),
  open: v.boolean(),
})
const Checked = v.object({ ok: v.boolean(), issues: Issues })

export const loadRules = (scope: Scope, signal?: AbortSignal) => call(Rules, withQuery('/api/rules', scope), { signal })
export const checkRules = (source: string, signal?: AbortSignal) => call(Checked, '/api/rules/check', { body: { source }, signal })
export const applyRules = (scope: Scope, source: string) => call(Checked, '/api/rules', { method: 'PUT', body: { ...scope, source } })

/** An expression of rules at a position in bytes, with its values. */
export type Expression = {
  start: number
  end: number
  line: number
  column: number
  values: { value: unknown; count: number }[]
  children: Expression[]
}
const Expression: v.GenericSchema<unknown, Expression> = v.object({
  start: v.number(),
  end: v.number(),
  line: v.number(),
  column: v.number(),
  values: v.pipe(
    v.nullish(v.array(v.object({ value: v.optional(v.unknown(), null), count: v.optional(v.number(), 1) })), []),
    v.transform((values) => values.map(({ value, count }) => ({ value, count }))),
  ),
  children: v.nullish(v.array(v.lazy(() => Expression)), []),
})
const Coverage = v.object({ source: v.nullish(v.string(), ''), expressions: v.nullish(v.array(Expression), []) })
export const loadCoverage = (scope: Scope, signal?: AbortSignal) => call(Coverage, withQuery('/api/rules/coverage', scope), { signal })

const Outcome = v.picklist(['allow', 'deny', 'error', 'admin'])
type Outcome = v.InferOutput<typeof Outcome>
const Decision = v.object({
  allowed: v.boolean(),
  outcome: Outcome,
  statements: v.nullish(v.array(v.object({ line: v.number(), outcome: Outcome, failure: v.optional(v.string(), '') })), []),
  denial: v.optional(v.string(), ''),
  expressions: v.nullish(v.array(Expression), []),
  lookups: v.nullish(v.array(v.object({ path: v.string(), exists: v.boolean() })), []),
  cost: v.optional(v.object({ evaluations: v.number(), lookups: v.number(), microseconds: v.number() })),
})
export type Decision = v.InferOutput<typeof Decision>

const CaseResults = v.object({
  results: v.nullish(
    v.array(v.object({ id: v.string(), good: v.boolean(), verdict: v.string(), expected: v.string(), why: v.optional(v.string(), '') })),
    [],
  ),
})
/** Runs the cases of a case file against a draft. */
export const runCases = (scope: Scope, source: string, cases: unknown[]) =>
  call(CaseResults, '/api/rules/run', { body: { ...scope, source, cases } })

const RequestSchema = v.object({
  id: v.string(),
  time: v.string(),
  project: v.string(),
  database: v.string(),
  method: v.string(),
  path: v.string(),
  outcome: Outcome,
  uid: v.nullable(v.string()),
  lines: v.nullish(v.array(v.object({ line: v.number(), outcome: Outcome })), []),
  took: v.optional(v.number()),
})
export type RequestRecord = v.InferOutput<typeof RequestSchema>
/** A line of the stream of requests: a record, or an empty object that keeps the connection open. */
export const RequestLine = v.union([RequestSchema, v.object({})])
const Requests = v.object({
  requests: v.nullish(v.array(RequestSchema), []),
  more: v.optional(v.boolean(), false),
  kept: v.number(),
  limit: v.number(),
})

/** The decisions to show; '' selects all. */
export type RequestFilter = { project: string; database: string; outcome: string; method: string; path: string; user: string }
export const loadRequests = (filter: RequestFilter, before: string, signal?: AbortSignal) =>
  call(Requests, withQuery('/api/requests', { ...filter, before, limit: 200 }), { signal })

const Full = v.object({
  ...RequestSchema.entries,
  source: v.nullish(v.string(), ''),
  auth: v.nullable(v.object({ uid: v.string(), token: v.unknown() })),
  before: v.optional(v.unknown()),
  after: v.optional(v.unknown()),
  query: v.optional(v.unknown()),
  decision: Decision,
})
export type FullRequest = v.InferOutput<typeof Full>
export const loadRequest = (id: string, signal?: AbortSignal) => call(Full, `/api/requests/${encodeURIComponent(id)}`, { signal })

export type Replay = { as?: { uid: string; token: unknown } | null; at?: string; source?: string; data?: unknown }
export const replayRequest = (id: string, replay: Replay) =>
  call(Decision, `/api/requests/${encodeURIComponent(id)}/replay`, { body: replay })

const Case = v.object({ case: v.unknown() })
export const loadCase = (id: string) => call(Case, `/api/requests/${encodeURIComponent(id)}/case`)

const Replayed = v.object({
  ok: v.boolean(),
  issues: Issues,
  results: v.nullish(v.array(v.object({ id: v.string(), was: v.string(), now: v.string() })), []),
})
/** Evaluates the recorded requests against a draft. */
export const replayAll = (source: string, limit: number) => call(Replayed, '/api/requests/replay', { body: { source, limit } })
