import { expect, it } from 'vitest'
import { valueLabel } from './rules-values'

it.each([
  [{ boolValue: false }, 'false'],
  [{ intValue: '12' }, '12'],
  [{ stringValue: 'a"b' }, '"a\\"b"'],
  [{ nullValue: null }, 'null'],
  [{ listValue: { values: [{ intValue: '1' }, { stringValue: 'x' }] } }, '[1, "x"]'],
  [{ mapValue: { fields: { a: { boolValue: true } } } }, '{a: true}'],
  [{ pathValue: { segments: [{ simple: 'users' }, { simple: 'ann' }] } }, '/users/ann'],
  [{ undefined: { causeMessage: 'no such field' } }, 'error: no such field'],
  [{}, 'error'],
])('%j reads %s', (value, text) => {
  expect(valueLabel(value)).toBe(text)
})
