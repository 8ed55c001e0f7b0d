import { expect, test } from 'vitest'
import { chartMinutes } from './charts'

test('the charts are as wide as the samples need, at most an hour', () => {
  const widths = [1, 30, 31, 90, 91, 360, 361].map((samples) => chartMinutes(samples, 10))
  expect(widths).toEqual([5, 5, 15, 15, 60, 60, 60])
})
