import { fullOrder, type Query } from './query'
import { documentsRoot, type Scope } from './scope'
import { fieldOf, type Fields, toWire, type Value, type WireValue } from './value'

/** The value at a path of names with dots, or undefined. */
function valueAt(fields: Fields, path: string): Value | undefined {
  const [first = '', ...rest] = path.split('.')
  const value = fieldOf(fields, first)
  if (rest.length === 0 || value === undefined) return value
  return value.type === 'map' ? valueAt(value.value, rest.join('.')) : undefined
}

/** The cursor after a document: its values of the orders. */
export function cursorAfter(doc: { path: string; fields: Fields }, query: Query, scope: Scope): WireValue[] {
  return fullOrder(query).map(({ field }) => {
    if (field === '__name__') return { referenceValue: `${documentsRoot(scope)}/${doc.path}` }
    return toWire(valueAt(doc.fields, field) ?? { type: 'null' })
  })
}

const NUMERIC = /^__id(-?\d+)__$/

/** Compares ids as Firestore orders them: numeric ones first, then by code points. */
export function compareIds(a: string, b: string): number {
  const [numberA, numberB] = [NUMERIC.exec(a)?.[1], NUMERIC.exec(b)?.[1]]
  if (numberA !== undefined && numberB !== undefined) return Number(BigInt(numberA) - BigInt(numberB))
  if (numberA !== undefined || numberB !== undefined) return numberA === undefined ? 1 : -1
  const [pointsA, pointsB] = [Array.from(a), Array.from(b)]
  for (let i = 0; i < Math.min(pointsA.length, pointsB.length); i++) {
    const difference = (pointsA[i]?.codePointAt(0) ?? 0) - (pointsB[i]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return pointsA.length - pointsB.length
}

/** Compares paths id by id. */
export function comparePaths(a: string, b: string): number {
  const [idsA, idsB] = [a.split('/'), b.split('/')]
  for (let i = 0; i < Math.min(idsA.length, idsB.length); i++) {
    const difference = compareIds(idsA[i] ?? '', idsB[i] ?? '')
    if (difference !== 0) return difference
  }
  return idsA.length - idsB.length
}
