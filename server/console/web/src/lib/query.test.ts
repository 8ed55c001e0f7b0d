import { describe, expect, it } from 'vitest'
import { compareIds, cursorAfter } from './order'
import { EMPTY_QUERY, fullOrder, type Query, readQuery, structuredQuery, writeQuery } from './query'
import { type Dialect, snippet } from './snippets'

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
  it('come back from an address', () => {
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

  it('go on after the last document', () => {
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

describe('ids', () => {
  it('are ordered as Firestore orders them', () => {
    const ids = ['b', 'a', '__id7__', '\u{1f600}', '\uffff', '__id-2__', 'ab']
    expect(ids.toSorted(compareIds)).toEqual(['__id-2__', '__id7__', 'a', 'ab', 'b', '\uffff', '\u{1f600}'])
  })
})
