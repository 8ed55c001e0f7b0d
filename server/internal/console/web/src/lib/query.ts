import * as v from 'valibot'
import { fieldPath } from './value-text'
import { fromWire, toWire, type Value, type WireValue } from './value'

export const OPERATORS = ['==', '!=', '<', '<=', '>', '>=', 'array-contains', 'array-contains-any', 'in', 'not-in'] as const
export type Operator = (typeof OPERATORS)[number]

const WIRE_OPERATORS: Record<Operator, string> = {
  '==': 'EQUAL',
  '!=': 'NOT_EQUAL',
  '<': 'LESS_THAN',
  '<=': 'LESS_THAN_OR_EQUAL',
  '>': 'GREATER_THAN',
  '>=': 'GREATER_THAN_OR_EQUAL',
  'array-contains': 'ARRAY_CONTAINS',
  'array-contains-any': 'ARRAY_CONTAINS_ANY',
  in: 'IN',
  'not-in': 'NOT_IN',
}

/** A condition on a field. The field __name__ is the document's path. */
export type Condition = { field: string; op: Operator; value: Value }
export type Order = { field: string; direction: 'asc' | 'desc' }
export type Aggregation = { kind: 'count' } | { kind: 'sum' | 'avg'; field: string }
export type Query = { match: 'all' | 'any'; where: Condition[]; order: Order[]; limit: number | null; aggregations: Aggregation[] }

export const EMPTY_QUERY: Query = { match: 'all', where: [], order: [], limit: null, aggregations: [] }

const Wire = v.custom<WireValue>((input) => typeof input === 'object' && input !== null)
const Stored = v.object({
  match: v.optional(v.picklist(['all', 'any']), 'all'),
  where: v.optional(v.array(v.object({ field: v.string(), op: v.picklist(OPERATORS), value: Wire })), []),
  order: v.optional(v.array(v.object({ field: v.string(), direction: v.picklist(['asc', 'desc']) })), []),
  limit: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1))), null),
  aggregations: v.optional(
    v.array(v.union([v.object({ kind: v.literal('count') }), v.object({ kind: v.picklist(['sum', 'avg']), field: v.string() })])),
    [],
  ),
})

/** Parses the query in an address. An invalid one becomes the empty query. */
export function readQuery(text: string | null): Query {
  if (!text) return EMPTY_QUERY
  try {
    const stored = v.parse(Stored, JSON.parse(text))
    return { ...stored, where: stored.where.map((c) => ({ ...c, value: fromWire(c.value) })) }
  } catch {
    return EMPTY_QUERY
  }
}

/** Formats a query for an address. The empty query becomes ''. */
export function writeQuery(query: Query): string {
  const stored = {
    ...(query.match === 'any' && { match: 'any' }),
    ...(query.where.length > 0 && { where: query.where.map((c) => ({ ...c, value: toWire(c.value) })) }),
    ...(query.order.length > 0 && { order: query.order }),
    ...(query.limit !== null && { limit: query.limit }),
    ...(query.aggregations.length > 0 && { aggregations: query.aggregations }),
  }
  return Object.keys(stored).length === 0 ? '' : JSON.stringify(stored)
}

const INEQUALITIES: readonly string[] = ['<', '<=', '>', '>=', '!=', 'not-in']

/** The path of a field, with quotes around segments that need them. */
export const wirePath = (field: string): string =>
  field === '__name__' || field.includes('`') ? field : field.split('.').map(fieldPath).join('.')

/** The orders of a query as the server completes them: fields of inequalities, then the name. A cursor has a value for each. */
export function fullOrder({ where, order }: Query): Order[] {
  const inequalities = [...new Set(where.filter((c) => INEQUALITIES.includes(c.op)).map((c) => c.field))].toSorted()
  const direction = order.at(-1)?.direction ?? 'asc'
  const missing = inequalities.filter((field) => field !== '__name__' && !order.some((o) => o.field === field))
  const all = [...order, ...missing.map((field) => ({ field, direction }))]
  return all.some((o) => o.field === '__name__') ? all : [...all, { field: '__name__', direction }]
}

/** The value of a condition in the form that the operator needs, with complete names of documents. */
function wireOperand({ field, value }: Condition, collectionName: string): WireValue {
  const named = (of: Value): Value =>
    field === '__name__' && of.type === 'string' ? { type: 'reference', value: `${collectionName}/${of.value}` } : of
  return toWire(value.type === 'array' ? { type: 'array', value: value.value.map(named) } : named(value))
}

type Cursor = { values: WireValue[]; before: boolean }
export type Source = { collection: string; group: boolean }

/** A query in the form of the REST API. collectionName is the full name of the collection, for conditions on __name__. */
export function structuredQuery(
  query: Query,
  source: Source,
  collectionName: string,
  page?: { after: WireValue[] | null; size: number },
): object {
  const filters = query.where.map((c) => filterOf(c, collectionName))
  const composite = { compositeFilter: { op: query.match === 'any' ? 'OR' : 'AND', filters } }
  const startAt: Cursor | null = page?.after ? { values: page.after, before: false } : null
  const limit = page?.size ?? query.limit
  return {
    from: [{ collectionId: source.collection, ...(source.group && { allDescendants: true }) }],
    ...(filters.length > 0 && { where: filters.length === 1 ? filters[0] : composite }),
    orderBy: fullOrder(query).map((o) => ({
      field: { fieldPath: wirePath(o.field) },
      direction: o.direction === 'asc' ? 'ASCENDING' : 'DESCENDING',
    })),
    ...(startAt && { startAt }),
    ...(limit && { limit }),
  }
}

function filterOf(condition: Condition, collectionName: string): object {
  const field = { fieldPath: wirePath(condition.field) }
  const { value, op } = condition
  if (op === '==' || op === '!=') {
    const not = op === '!='
    if (value.type === 'null') return { unaryFilter: { field, op: not ? 'IS_NOT_NULL' : 'IS_NULL' } }
    if (value.type === 'double' && Number.isNaN(value.value)) return { unaryFilter: { field, op: not ? 'IS_NOT_NAN' : 'IS_NAN' } }
  }
  return { fieldFilter: { field, op: WIRE_OPERATORS[op], value: wireOperand(condition, collectionName) } }
}

/** The aggregations of a query in the form of the REST API, by alias. */
export function wireAggregations(aggregations: readonly Aggregation[]): object[] {
  return aggregations.map((a, i) => {
    if (a.kind === 'count') return { alias: `a${i}`, count: {} }
    return { alias: `a${i}`, [a.kind]: { field: { fieldPath: wirePath(a.field) } } }
  })
}
