import { expect, it } from 'vitest'
import { ensambles } from './ensambles'
import { inicio } from './inicio'
import { instrumentos } from './instrumentos'
import { programas } from './programas'

it('the numbers of the home page are those of the pages to which they lead', () => {
  const counts: Record<string, number> = {
    '/instrumentos': instrumentos.list.length,
    '/programas': programas.list.length,
    '/ensambles': ensambles.list.length,
  }
  expect(Object.fromEntries(inicio.figures.list.map(({ to, number }) => [to, number]))).toEqual(counts)
})
