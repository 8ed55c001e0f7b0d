import { type Fields, fieldOf, type Value } from './value'

/** The keys that lead through maps to a value. Values of arrays have no such path, as in the masks of Firestore. */
export type FieldPath = readonly string[]
/** The keys of maps and the indexes of arrays that lead to a value. */
export type ValuePath = readonly (string | number)[]
/** A difference of two documents at a path. undefined stands for no value. */
export type Change = { path: FieldPath; from: Value | undefined; to: Value | undefined }

/** Reports whether two values are equal, including number types. The order of keys has no meaning. */
export function same(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined || a.type !== b.type) return false
  if (a.type === 'map' && b.type === 'map') {
    const names = Object.keys(a.value)
    return names.length === Object.keys(b.value).length && names.every((name) => same(fieldOf(a.value, name), fieldOf(b.value, name)))
  }
  if (a.type === 'array' && b.type === 'array') {
    return a.value.length === b.value.length && a.value.every((item, i) => same(item, b.value[i]))
  }
  if (a.type === 'vector' && b.type === 'vector') {
    return a.value.length === b.value.length && a.value.every((n, i) => Object.is(n, b.value[i]))
  }
  if (a.type === 'geopoint' && b.type === 'geopoint') {
    return Object.is(a.latitude, b.latitude) && Object.is(a.longitude, b.longitude)
  }
  // NaN equals itself, and the zeros differ.
  return 'value' in a && 'value' in b ? Object.is(a.value, b.value) : true
}

/** The differences of two documents: the fewest paths whose values differ. */
export function changesOf(from: Fields, to: Fields, above: FieldPath = []): Change[] {
  if (from === to) return []
  const changes: Change[] = []
  const compare = (name: string) => {
    const [a, b] = [fieldOf(from, name), fieldOf(to, name)]
    if (a === b) return
    if (a?.type === 'map' && b?.type === 'map') changes.push(...changesOf(a.value, b.value, [...above, name]))
    else if (!same(a, b)) changes.push({ path: [...above, name], from: a, to: b })
  }
  for (const name of Object.keys(to)) compare(name)
  for (const name of Object.keys(from)) if (!Object.hasOwn(to, name)) compare(name)
  return changes
}

/** The value at a path; undefined if there is none. */
export function valueAt(fields: Fields, path: ValuePath): Value | undefined {
  let value: Value | undefined = { type: 'map', value: fields }
  for (const key of path) {
    if (value?.type === 'map' && typeof key === 'string') value = fieldOf(value.value, key)
    else if (value?.type === 'array' && typeof key === 'number') value = value.value[key]
    else return undefined
  }
  return value
}

/** A value with another one at a path below it; undefined removes it. Maps that the path needs are made. */
function replaced(value: Value | undefined, [key, ...below]: ValuePath, to: Value | undefined): Value | undefined {
  if (key === undefined) return to
  if (typeof key === 'number') {
    if (value?.type !== 'array') return value
    const items = value.value.flatMap((item, i) => (i === key ? (replaced(item, below, to) ?? []) : item))
    if (key === value.value.length && to && below.length === 0) items.push(to)
    return { type: 'array', value: items }
  }
  const fields = value?.type === 'map' ? value.value : {}
  const next = replaced(fieldOf(fields, key), below, to)
  if (next !== undefined) return { type: 'map', value: { ...fields, [key]: next } }
  return { type: 'map', value: Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key)) }
}

/** Fields with another value at a path, which is not empty; undefined removes the value. An index after the last item appends. */
export function withValue(fields: Fields, path: ValuePath, to: Value | undefined): Fields {
  const next = replaced({ type: 'map', value: fields }, path, to)
  return next?.type === 'map' ? next.value : fields
}

/** Fields with some changes. */
export const applied = (fields: Fields, changes: readonly Change[]): Fields =>
  changes.reduce((all, { path, to }) => withValue(all, path, to), fields)

/** The shortest part of a path at which the value is not a map, although the path leads through it; null if there is none. */
function blockedAt(fields: Fields, path: FieldPath): FieldPath | null {
  for (let n = 1; n < path.length; n++) if (valueAt(fields, path.slice(0, n))?.type !== 'map') return path.slice(0, n)
  return null
}

export const samePath = (a: ValuePath, b: ValuePath): boolean => a.length === b.length && a.every((key, i) => key === b[i])

/**
 * The changes between base and mine, made to theirs. Where both changed a value in different ways, the result has mine,
 * and conflicts has the path.
 */
export function merged(base: Fields, mine: Fields, theirs: Fields): { fields: Fields; conflicts: FieldPath[] } {
  let fields = theirs
  const conflicts: FieldPath[] = []
  for (const { path, from, to } of changesOf(base, mine)) {
    const blocked = blockedAt(theirs, path)
    const at = blocked ?? path
    if (conflicts.some((other) => samePath(other, at))) continue
    const own = blocked ? valueAt(mine, at) : to
    const now = valueAt(theirs, at)
    if (same(own, now)) continue
    if (blocked || !same(from, now)) conflicts.push(at)
    fields = withValue(fields, at, own)
  }
  return { fields, conflicts }
}

/** A path as text, such as orders[0].city. */
export const pathName = (path: ValuePath): string =>
  path.reduce<string>((text, key) => (typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${key}` : key), '')
