import * as v from 'valibot'
import { keptDraft } from '../../lib/drafts'
import { parseInput } from '../../lib/parse-input'
import { type Condition, OPERATORS, type Operator, type Query, readQuery, writeQuery } from '../../lib/query'
import { documentsRoot, pagePath } from '../../lib/scope'
import type { Value, ValueType } from '../../lib/value'
import { referenceText, valueText } from '../../lib/value-text'
import type { Place } from './use-rows'

/** The types of a condition's values. */
export const TYPES = [
  'string',
  'integer',
  'double',
  'boolean',
  'timestamp',
  'reference',
  'null',
  'geopoint',
  'bytes',
  'vector',
] as const satisfies readonly ValueType[]
/** The operators whose value is a list. */
export const LISTS: readonly Operator[] = ['in', 'not-in', 'array-contains-any']

/** A condition in the form, with the texts of its values. Only the operators of lists have several. */
export type Draft = { field: string; op: Operator; type: ValueType; texts: string[] }
/** A condition that nothing is typed into. */
export const NEW: Draft = { field: '', op: '==', type: 'string', texts: [''] }

/** A condition as texts. References are without their root. */
function draftOf({ field, op, value }: Condition, root: string): Draft {
  const values = value.type === 'array' ? value.value : [value]
  const text = (one: Value) =>
    one.type === 'bytes' ? one.value : one.type === 'reference' ? referenceText(one.value, root) : one.type === 'null' ? '' : valueText(one)
  return { field, op, type: values[0]?.type ?? 'string', texts: values.length > 0 ? values.map(text) : [''] }
}

/** The condition of texts; null if a value is invalid or the field is missing. */
export function conditionOf({ field, op, type, texts }: Draft, root: string): Condition | null {
  if (field === '') return null
  const values = (LISTS.includes(op) ? texts : texts.slice(0, 1)).map((text) =>
    parseInput(type, type === 'boolean' && text === '' ? 'false' : text, root),
  )
  if (!values.every((value) => value !== null)) return null
  const [value] = values
  return LISTS.includes(op) ? { field, op, value: { type: 'array', value: values } } : value ? { field, op, value } : null
}

/** Whether something is typed into a condition. */
export const isBegun = ({ field, texts }: Draft): boolean => field !== '' || texts.some((text) => text !== '')

/** What is typed into the form of a query. */
type Typed = { drafts: Draft[]; rest: Query }

/** What the form of a query shows before anything is typed. */
export function typedOf({ query, scope }: Place): Typed {
  const root = `${documentsRoot(scope)}/`
  return { drafts: query.where.length > 0 ? query.where.map((one) => draftOf(one, root)) : [NEW], rest: query }
}

/** The address of a form with a query, which its draft is kept by. */
export function queryAddress({ scope, collection, group, query }: Place): string {
  const text = writeQuery(query)
  const params = new URLSearchParams({ ...(group && { group: '1' }), ...(text && { q: text }) })
  return `${pagePath('data', scope, collection)}${params.size > 0 ? `?${params}` : ''}`
}

/** What is typed, as a text. */
export const writeTyped = ({ drafts, rest }: Typed): string =>
  JSON.stringify({ drafts: drafts.filter(isBegun), rest: writeQuery({ ...rest, where: [] }) })

const Kept = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    drafts: v.array(v.object({ field: v.string(), op: v.picklist(OPERATORS), type: v.picklist(TYPES), texts: v.array(v.string()) })),
    rest: v.string(),
  }),
)

/** The draft that is kept for a form; null if there is none. */
export function keptQuery(place: Place): Typed | null {
  const kept = v.safeParse(Kept, keptDraft(queryAddress(place)))
  return kept.success ? { drafts: kept.output.drafts, rest: readQuery(kept.output.rest) } : null
}
