import * as v from 'valibot'
import { applied, type Change } from '../lib/changes'
import { type Query, type Source, structuredQuery, wireAggregations } from '../lib/query'
import { documentsRoot, type Scope } from '../lib/scope'
import { type Fields, fieldsFromWire, fieldsToWire, fromWire, type Value, WireFields } from '../lib/value'
import { fieldPath, relativeName } from '../lib/value-text'
import { call } from './http'
import { pathOf, rootOf } from './paths'

export const RestDocument = v.object({
  name: v.string(),
  fields: v.optional(WireFields, {}),
  createTime: v.optional(v.string()),
  updateTime: v.optional(v.string()),
})

/** A document. A missing document has no fields, but documents below it. */
export type Doc = { path: string; id: string; missing: boolean; fields: Fields; createTime: string; updateTime: string }

export function docOf(rest: v.InferOutput<typeof RestDocument>): Doc {
  const path = relativeName(rest.name)
  return {
    path,
    id: path.split('/').at(-1) ?? '',
    missing: !rest.createTime,
    fields: fieldsFromWire(rest.fields),
    createTime: rest.createTime ?? '',
    updateTime: rest.updateTime ?? '',
  }
}

/** The document at a path, or null. */
export async function getDocument(scope: Scope, path: string, signal?: AbortSignal): Promise<Doc | null> {
  const docs = await getDocuments(scope, [path], signal)
  return docs.get(path) ?? null
}

const BatchGet = v.array(v.object({ found: v.optional(RestDocument), missing: v.optional(v.string()) }))

/** The existing documents at some paths. */
export async function getDocuments(scope: Scope, paths: string[], signal?: AbortSignal): Promise<Map<string, Doc>> {
  const documents = paths.map((path) => `${documentsRoot(scope)}/${path}`)
  const answers = await call(BatchGet, `${rootOf(scope)}:batchGet`, { body: { documents }, signal })
  const found = new Map<string, Doc>()
  for (const answer of answers) {
    if (answer.found) {
      const doc = docOf(answer.found)
      found.set(doc.path, doc)
    }
  }
  return found
}

const PlanSummary = v.object({ indexesUsed: v.optional(v.array(v.record(v.string(), v.unknown())), []) })
const ExecutionStats = v.object({
  resultsReturned: v.optional(v.union([v.string(), v.number()]), 0),
  executionDuration: v.optional(v.string(), ''),
  readOperations: v.optional(v.union([v.string(), v.number()]), 0),
  debugStats: v.optional(v.record(v.string(), v.unknown()), {}),
})
const ExplainMetrics = v.object({ planSummary: v.optional(PlanSummary), executionStats: v.optional(ExecutionStats) })
export type Explanation = v.InferOutput<typeof ExplainMetrics>

const RunAnswer = v.array(v.object({ document: v.optional(RestDocument), explainMetrics: v.optional(ExplainMetrics) }))

type Run = { query: Query; source: Source & { parent: string }; size?: number; signal?: AbortSignal }

function bodyOf(scope: Scope, { query, source, size }: Run): object {
  const parent = source.parent ? `${documentsRoot(scope)}/${source.parent}` : documentsRoot(scope)
  return structuredQuery(query, source, `${parent}/${source.collection}`, size ? { after: null, size } : undefined)
}

/** Runs a query and returns its explanation. */
export async function explainQuery(scope: Scope, run: Run): Promise<Explanation | null> {
  const body = { structuredQuery: bodyOf(scope, run), explainOptions: { analyze: true } }
  const answers = await call(RunAnswer, `${pathOf(scope, run.source.parent)}:runQuery`, { body, signal: run.signal })
  return answers.findLast((answer) => answer.explainMetrics)?.explainMetrics ?? null
}

const AggregationAnswer = v.array(v.object({ result: v.optional(v.object({ aggregateFields: WireFields })) }))

/** The values of a query's aggregations, in their order. */
export async function aggregate(scope: Scope, run: Run): Promise<Value[]> {
  const structuredAggregationQuery = { structuredQuery: bodyOf(scope, run), aggregations: wireAggregations(run.query.aggregations) }
  const answers = await call(AggregationAnswer, `${pathOf(scope, run.source.parent)}:runAggregationQuery`, {
    body: { structuredAggregationQuery },
    signal: run.signal,
  })
  const fields = answers.find((answer) => answer.result)?.result?.aggregateFields ?? {}
  return run.query.aggregations.map((_, i) => fromWire(fields[`a${i}`] ?? {}))
}

/** A change of a document. A set with exists, and every update, has a precondition. An update writes the changed paths only. */
export type Write =
  | { kind: 'set'; path: string; fields: Fields; exists?: boolean }
  | { kind: 'update'; path: string; changes: readonly Change[]; updateTime: string }
  | { kind: 'delete'; path: string; exists?: boolean }

const CommitAnswer = v.object({ commitTime: v.string() })

/** Commits writes atomically. */
export async function commit(scope: Scope, writes: Write[]): Promise<string> {
  const body = {
    writes: writes.map((write) => {
      const name = `${documentsRoot(scope)}/${write.path}`
      const exists = write.kind === 'update' || write.exists === undefined ? {} : { currentDocument: { exists: write.exists } }
      if (write.kind === 'delete') return { delete: name, ...exists }
      if (write.kind === 'set') return { update: { name, fields: fieldsToWire(write.fields) }, ...exists }
      const fields = applied(
        {},
        write.changes.filter((change) => change.to !== undefined),
      )
      return {
        update: { name, fields: fieldsToWire(fields) },
        updateMask: { fieldPaths: write.changes.map((change) => change.path.map(fieldPath).join('.')) },
        currentDocument: { updateTime: write.updateTime },
      }
    }),
  }
  return (await call(CommitAnswer, `${rootOf(scope)}:commit`, { body })).commitTime
}
