import { expect, test } from 'vitest'
import { ilustracionDeEvento } from './ilustracion-de-evento'

test('an event keeps its drawing', () => {
  expect(ilustracionDeEvento('gQ1x8PzT2mVn')).toBe(ilustracionDeEvento('gQ1x8PzT2mVn'))
})

test('many events are shared out among the eight drawings', () => {
  const counts = new Map<string, number>()
  for (let i = 0; i < 800; i++) {
    const slot = ilustracionDeEvento(`evento${i}`)
    counts.set(slot, (counts.get(slot) ?? 0) + 1)
  }
  expect(counts.size).toBe(8)
  for (const [slot, count] of counts) expect(count, slot).toBeGreaterThan(50)
})
