import { expect, test } from 'vitest'
import { linePath } from './chart'

test('a line ends at the right edge, a slot for each value, the highest at the top', () => {
  expect(linePath([0, 5, 10], 10, 361)).toBe('M358.0 54.0L359.0 28.0L360.0 2.0')
  expect(linePath([0, 0], 0, 3)).toBe('M180.0 54.0L360.0 54.0')
  expect(linePath([7], 7, 360)).toBe('M360.0 2.0h0')
})
