import { expect, it } from 'vitest'
import { strengthOf } from './strength'

it.each([
  ['', 0, '', 0, 5],
  ['abc', 0, 'Muy débil', 20, 4],
  ['abcdef', 1, 'Muy débil', 20, 3],
  ['abcdef1', 2, 'Débil', 40, 2],
  ['Abcdef1', 3, 'Buena', 70, 1],
  ['Abcdef1!', 4, 'Fuerte', 100, 0],
  ['Abcdefghi1!', 5, 'Fuerte', 100, 0],
])('%j scores %d: %s', (password, score, label, percent, missing) => {
  const strength = strengthOf(password)
  expect({ ...strength, missing: strength.missing.length }).toEqual({ score, label, percent, missing })
})

it('reports missing fields', () => {
  expect(strengthOf('ABC').missing).toEqual(['Al menos 6 caracteres', 'Una minúscula', 'Un número', 'Un símbolo'])
})
