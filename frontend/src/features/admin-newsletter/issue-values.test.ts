import { expect, it } from 'vitest'
import { checkIssue, LIMITS } from './issue-values'

it('takes an issue without the blanks around it', () => {
  expect(checkIssue({ subject: ' Hola ', text: '\nUno\n\nDos ' })).toEqual({ ok: true, values: { subject: 'Hola', text: 'Uno\n\nDos' } })
})

it.each([
  [{ subject: ' ', text: 'a' }, 'Escribe el asunto y el texto.'],
  [{ subject: 'a', text: '\n' }, 'Escribe el asunto y el texto.'],
  [{ subject: 'a'.repeat(LIMITS.subject + 1), text: 'a' }, 'Escribe como máximo 150 caracteres.'],
  [{ subject: 'a', text: 'a'.repeat(LIMITS.text + 1) }, 'Escribe como máximo 20000 caracteres.'],
])('refuses what the back office would refuse', (values, message) => {
  expect(checkIssue(values)).toMatchObject({ ok: false, message })
})
