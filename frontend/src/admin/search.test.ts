import { expect, it } from 'vitest'
import { matches } from './search'

it.each([
  ['PÉREZ', true],
  ['perez', true],
  ['ana p', true],
  ['  ana ', true],
  ['@correo', true],
  ['', true],
  ['zzz', false],
  ['pérez ana', false],
])('%s is found: %s', (search, found) => {
  expect(matches(search, ['Ana Pérez', 'ana@correo.do'])).toBe(found)
})
