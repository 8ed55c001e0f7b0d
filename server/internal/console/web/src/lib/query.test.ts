import { describe, expect, it } from 'vitest'
import { compareIds, cursorAfter } from './order'
import { EMPTY_QUERY, fullOrder, type Query, readQuery, structuredQuery, writeQuery } from './query'
import { type Dialect, snippet } from './snippets'
import { emptyOf, type Value } from './value'

const QUERY: Query = {
  match: 'all',
  where: [
    { field: 'age', op: '>', value: { type: 'integer', value: '30' } },
    { field: 'tags', op: 'in', value: { type: 'array', value: [{ type: 'string', value: 'a' }] } },
  ],
  order: [],
  limit: 5,
  aggregations: [],
}
const SCOPE = { project: 'p', database: '(default)' }

describe('queries', () => {
  it('are read from the address that they are written to', () => {
    expect(readQuery(writeQuery(QUERY))).toEqual(QUERY)
    expect(writeQuery(EMPTY_QUERY)).toBe('')
  })

  it.each(['', '{', '[]', '{"where":[{"field":1}]}', '{"limit":-1}', 'null'])('are empty where the address has %j', (text) => {
    expect(readQuery(text)).toEqual(EMPTY_QUERY)
  })

  it('are ordered as the server orders them', () => {
    expect(fullOrder(QUERY)).toEqual([
      { field: 'age', direction: 'asc' },
      { field: '__name__', direction: 'asc' },
    ])
    expect(fullOrder({ ...QUERY, order: [{ field: 'age', direction: 'desc' }] }).at(-1)).toEqual({ field: '__name__', direction: 'desc' })
  })

  it('continue after the last document', () => {
    const doc = { path: 'people/ann', fields: { age: { type: 'integer', value: '31' } as const } }
    expect(cursorAfter(doc, QUERY, SCOPE)).toEqual([
      { integerValue: '31' },
      { referenceValue: 'projects/p/databases/(default)/documents/people/ann' },
    ])
  })

  it('name documents in full and test for null and NaN', () => {
    const where: Query['where'] = [
      { field: '__name__', op: '==', value: { type: 'string', value: 'ann' } },
      { field: 'a', op: '!=', value: { type: 'null' } },
      { field: 'b', op: '==', value: { type: 'double', value: Number.NaN } },
    ]
    expect(structuredQuery({ ...EMPTY_QUERY, where }, { collection: 'people', group: false }, 'ROOT/people')).toMatchObject({
      where: {
        compositeFilter: {
          filters: [
            { fieldFilter: { value: { referenceValue: 'ROOT/people/ann' } } },
            { unaryFilter: { op: 'IS_NOT_NULL' } },
            { unaryFilter: { op: 'IS_NAN' } },
          ],
        },
      },
    })
  })

  it('are the same in each language', () => {
    const subject = { scope: SCOPE, query: QUERY, source: { collection: 'people', group: false, parent: '' }, origin: 'http://h' }
    const lines: Record<Dialect, string> = {
      js: 'where("age", ">", 30)',
      node: '.where("age", ">", 30)',
      go: 'Where("age", ">", int64(30))',
      curl: '"op": "GREATER_THAN"',
    }
    for (const dialect of ['js', 'node', 'go', 'curl'] as const) expect(snippet(dialect, subject)).toContain(lines[dialect])
    expect(snippet('js', subject)).toContain('import { collection, getDocs, limit, query, where } from "firebase/firestore"')
  })
})

describe('values in code', () => {
  const value = (one: Value, dialect: Dialect) => {
    const query: Query = { ...EMPTY_QUERY, where: [{ field: 'x', op: '==', value: one }] }
    return snippet(dialect, { scope: SCOPE, query, source: { collection: 'c', group: false, parent: '' }, origin: 'http://x' })
  }

  it('keep the nanoseconds of timestamps', () => {
    const when: Value = { type: 'timestamp', value: '1969-12-31T23:59:58.123456+00:00' }
    expect(value(when, 'js')).toContain('where("x", "==", new Timestamp(-2, 123456000))')
    expect(value(when, 'go')).toContain('Where("x", "==", time.Unix(-2, 123456000).UTC())')
  })

  it('are whole expressions of Go', () => {
    expect(value({ type: 'bytes', value: 'AP8=' }, 'go')).toContain('Where("x", "==", []byte{0, 255})')
  })

  it.each([
    ['9223372036854775807', '9223372036854775807'],
    ['9223372036854775808', '0'],
    ['1e30', '0'],
    ['-2.9', '-2'],
    ['soon', '0'],
  ])('%s becomes the integer %s', (text, want) => {
    expect(emptyOf('integer', text)).toEqual({ type: 'integer', value: want })
  })
})

describe('ids', () => {
  it('are ordered as Firestore orders them', () => {
    const ids = ['b', 'a', '__id7__', '\u{1f600}', '\uffff', '__id-2__', 'ab']
    expect(ids.toSorted(compareIds)).toEqual(['__id-2__', '__id7__', 'a', 'ab', 'b', '\uffff', '\u{1f600}'])
  })
})
