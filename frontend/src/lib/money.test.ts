import { describe, expect, it } from 'vitest'
import { panelPrice, publicPrice } from './money'

const flat = (text: string | null) => text?.replace(/\s/g, '') ?? null

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
  ])('%s is %s to visitors and %s to administrators', (price, everyone, panel) => {
    expect(flat(publicPrice(price))).toBe(everyone)
    expect(flat(panelPrice(price))).toBe(panel)
  })
})
