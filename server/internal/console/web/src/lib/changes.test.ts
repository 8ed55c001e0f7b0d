import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applied, changesOf, merged, same, valueAt, withValue } from './changes'
import type { Fields, Value } from './value'

const I = (n: number): Value => ({ type: 'integer', value: String(n) })
const M = (value: Fields): Value => ({ type: 'map', value })
const A = (...value: Value[]): Value => ({ type: 'array', value })

/** Small documents with few names, so that two of them have much in common. */
const document = (): fc.Arbitrary<Fields> => {
  const { value } = fc.letrec<{ value: Value }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.integer({ min: 0, max: 2 }).map(I),
      fc.array(fc.integer({ min: 0, max: 1 }).map(I), { maxLength: 2 }).map((all) => A(...all)),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), tie('value'), { maxKeys: 3 }).map(M),
    ),
  }))
  return fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), value, { maxKeys: 4 })
}

test('changes lead from one document to the other, and name the fewest paths', () => {
  fc.assert(
    fc.property(document(), document(), (from, to) => {
      expect(same(M(applied(from, changesOf(from, to))), M(to))).toBe(true)
      expect(changesOf(from, from)).toEqual([])
    }),
  )
  const from = { a: I(1), m: M({ x: I(1), y: M({ z: I(1) }) }), list: A(I(1), I(2)) }
  expect(changesOf(from, { ...from, m: M({ x: I(1), y: M({ z: I(2) }) }) }).map((one) => one.path)).toEqual([['m', 'y', 'z']])
  expect(changesOf(from, { ...from, list: A(I(1), I(3)) }).map((one) => one.path)).toEqual([['list']])
  expect(changesOf(from, { m: from.m, list: from.list, n: I(1) }).map((one) => one.path)).toEqual([['n'], ['a']])
})

test('equality distinguishes number types, and ignores the order of keys', () => {
  const zero = (value: number): Value => ({ type: 'double', value })
  expect(same(zero(0), zero(-0))).toBe(false)
  expect(same(zero(Number.NaN), zero(Number.NaN))).toBe(true)
  expect(same(I(1), { type: 'double', value: 1 })).toBe(false)
  expect(same(M({ a: I(1), b: I(2) }), M({ b: I(2), a: I(1) }))).toBe(true)
  expect(same(M({ a: I(1) }), M({ b: I(1) }))).toBe(false)
})

test('a merge has the changes of both, and conflicts where they differ', () => {
  fc.assert(
    fc.property(document(), document(), document(), (base, mine, theirs) => {
      const { fields, conflicts } = merged(base, mine, theirs)
      // Without a conflict, nothing is left of the base where one of both changed it.
      if (conflicts.length === 0) for (const { path, to } of changesOf(base, mine)) expect(same(valueAt(fields, path), to)).toBe(true)
      for (const path of conflicts) {
        expect(same(valueAt(fields, path), valueAt(mine, path))).toBe(true)
        expect(same(valueAt(theirs, path), valueAt(mine, path))).toBe(false)
      }
      expect(merged(base, base, theirs)).toEqual({ fields: theirs, conflicts: [] })
      expect(same(M(merged(base, mine, base).fields), M(mine))).toBe(true)
      expect(merged(base, mine, base).conflicts).toEqual([])
    }),
  )
})

test('a merge of a change inside of a map that is gone or has become a number is a conflict of the whole map', () => {
  const base = { m: M({ x: I(1), y: I(1) }) }
  const mine = { m: M({ x: I(2), y: I(3) }) }
  expect(merged(base, mine, { m: I(7) })).toEqual({ fields: mine, conflicts: [['m']] })
  expect(merged(base, mine, {})).toEqual({ fields: mine, conflicts: [['m']] })
  expect(merged(base, { m: I(5) }, { m: M({ x: I(1), y: I(2) }) })).toEqual({ fields: { m: I(5) }, conflicts: [['m']] })
  expect(merged(base, {}, {})).toEqual({ fields: {}, conflicts: [] })
})

test('values are replaced, removed and appended in place, also in arrays', () => {
  const fields = { a: I(1), list: A(M({ x: I(1) }), I(2)) }
  expect(withValue(fields, ['list', 0, 'x'], I(9))).toEqual({ a: I(1), list: A(M({ x: I(9) }), I(2)) })
  expect(withValue(fields, ['list', 0], undefined)).toEqual({ a: I(1), list: A(I(2)) })
  expect(withValue(fields, ['list', 2], I(3))).toEqual({ a: I(1), list: A(M({ x: I(1) }), I(2), I(3)) })
  expect(withValue(fields, ['a'], undefined)).toEqual({ list: fields.list })
  // Values beside the path keep their identity, so that their editors need not render again.
  expect(withValue(fields, ['a'], I(5))['list']).toBe(fields.list)
})
