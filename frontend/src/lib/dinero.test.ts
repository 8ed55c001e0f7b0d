import { describe, expect, it } from 'vitest'
import { precioPanel, precioPublico } from './dinero'

const plano = (texto: string | null) => texto?.replace(/\s/g, '') ?? null

describe('prices', () => {
  it.each([
    [0, 'Gratis', 'RD$0.00'],
    [1500, 'RD$1,500.00', 'RD$1,500.00'],
    [2500.5, 'RD$2,500.50', 'RD$2,500.50'],
    [null, null, '—'],
    [undefined, null, '—'],
    ['100', null, '—'],
    [Number.NaN, null, '—'],
    [Number.POSITIVE_INFINITY, null, '—'],
  ])('%s is %s to visitors and %s to administrators', (precio, publico, panel) => {
    expect(plano(precioPublico(precio))).toBe(publico)
    expect(plano(precioPanel(precio))).toBe(panel)
  })
})
