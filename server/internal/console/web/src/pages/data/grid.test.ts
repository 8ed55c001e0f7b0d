import { expect, test } from 'vitest'
import { withRow } from './grid'

test('the focused row stays rendered at any scroll position', () => {
  const range = { startIndex: 10, endIndex: 12, overscan: 1, count: 20 }
  expect(withRow(range, 11)).toEqual([9, 10, 11, 12, 13])
  expect(withRow(range, 2)).toEqual([2, 9, 10, 11, 12, 13])
  expect(withRow(range, 19)).toEqual([9, 10, 11, 12, 13, 19])
  expect(withRow(range, 20)).toEqual([9, 10, 11, 12, 13])
})
