import { expect, test } from 'vitest'
import type { Doc } from '../api/firestore'
import {
  changesIn,
  conflictsIn,
  decided,
  edited,
  isDirty,
  readDraft,
  received,
  saved,
  typed,
  unchanged,
  writeDraft,
  writtenAsJson,
} from './draft'
import type { Fields, Value } from './value'

const S = (value: string): Value => ({ type: 'string', value })
const docOf = (fields: Fields, updateTime: string): Doc => ({ path: 'c/d', id: 'd', missing: false, fields, createTime: 't0', updateTime })
const V1 = docOf({ a: S('a'), b: S('b') }, 't1')

test('changes of others are merged, and only the own ones are left to save', () => {
  const mine = edited(unchanged(V1), ['a'], S('mine'))
  const now = received(mine, docOf({ a: S('a'), b: S('theirs') }, 't2'))
  expect(now?.fields).toEqual({ a: S('mine'), b: S('theirs') })
  expect(now && changesIn(now)).toEqual([{ path: ['a'], from: S('a'), to: S('mine') }])
  expect(now && conflictsIn(now)).toEqual([])
})

test('a conflict remains until it is decided, or both values are equal', () => {
  const mine = edited(unchanged(V1), ['a'], S('mine'))
  const first = received(mine, docOf({ a: S('theirs'), b: S('b') }, 't2'))
  const next = first && received(first, docOf({ a: S('theirs'), b: S('again') }, 't3'))
  if (!next) throw new Error('no draft')
  expect(conflictsIn(next)).toEqual([{ path: ['a'], mine: S('mine'), theirs: S('theirs') }])
  expect(conflictsIn(decided(next, ['a'], 'mine'))).toEqual([])
  expect(decided(next, ['a'], 'mine').fields).toEqual({ a: S('mine'), b: S('again') })
  expect(isDirty(decided(next, ['a'], 'theirs'))).toBe(false)
  expect(conflictsIn(edited(next, ['a'], S('theirs')))).toEqual([])
})

test('a deleted document keeps its draft, and an unchanged one does not', () => {
  expect(received(unchanged(V1), null)).toBeNull()
  const gone = received(edited(unchanged(V1), ['a'], S('mine')), null)
  expect(gone).toMatchObject({ gone: true, fields: { a: S('mine'), b: S('b') } })
  expect(received(gone, docOf({ a: S('a'), b: S('new') }, 't9'))).toMatchObject({ gone: false, fields: { a: S('mine'), b: S('new') } })
})

test('invalid JSON is merged once it is valid', () => {
  const mine = { ...unchanged(V1), json: '{ "a": ' }
  const now = received(mine, docOf({ a: S('a'), b: S('theirs') }, 't2'))
  expect(now?.json).toBe('{ "a": ')
  expect(now && writtenAsJson(now, { a: S('mine'), b: S('b') })).toMatchObject({ fields: { a: S('mine'), b: S('theirs') }, json: null })
})

test('what is typed while the document is saved is kept', () => {
  const sent = edited(unchanged(V1), ['a'], S('one'))
  const more = edited(edited(sent, ['a'], S('one more')), ['c'], S('c'))
  const now = saved(more, sent.fields, docOf({ a: S('one'), b: S('theirs') }, 't2'))
  expect(now).toMatchObject({ fields: { a: S('one more'), b: S('theirs'), c: S('c') }, conflicts: [] })
})

test('invalid texts belong to a draft until their value is edited, removed or replaced', () => {
  const list = (...items: string[]): Value => ({ type: 'array', value: items.map(S) })
  const base = docOf({ list: list('x', 'y'), a: S('a') }, 't1')
  const draft = typed(unchanged(base), ['list', 1], '12x')
  expect(isDirty(draft)).toBe(true)
  expect(isDirty(edited(draft, ['list', 1], S('y')))).toBe(false)
  expect(edited(draft, ['list', 0], undefined).texts).toEqual({})
  expect(edited(draft, ['a'], undefined).texts).toEqual(draft.texts)
  expect(received(draft, docOf({ list: list('x', 'y'), a: S('b') }, 't2'))?.texts).toEqual(draft.texts)
  expect(received(draft, docOf({ list: list('x', 'z'), a: S('b') }, 't2'))?.texts).toEqual({})
})

test('the text of a part of a value is kept until the value is changed elsewhere', () => {
  const place = (latitude: number): Value => ({ type: 'geopoint', latitude, longitude: 0 })
  const draft = typed(unchanged(docOf({ place: place(1), a: S('a') }, 't1')), ['place', 'latitude'], '9x')
  expect(received(draft, docOf({ place: place(1), a: S('b') }, 't2'))?.texts).toEqual(draft.texts)
  expect(received(draft, docOf({ place: place(2), a: S('b') }, 't2'))?.texts).toEqual({})
})

test('a draft is read as it was written', () => {
  const draft = typed(edited(unchanged(V1), ['n'], { type: 'double', value: Number.NaN }), ['x'], '1e')
  expect(readDraft(writeDraft(draft))).toEqual(draft)
  expect(readDraft('{}')).toBeNull()
  expect(readDraft(null)).toBeNull()
})
