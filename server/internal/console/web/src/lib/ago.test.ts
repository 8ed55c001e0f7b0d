import { expect, test } from 'vitest'
import { ago } from './ago'

test('a moment is told in its largest unit, up to 30 days', () => {
  const now = Date.UTC(2030, 0, 31, 12)
  const before = (seconds: number) => ago(now - seconds * 1000, now)
  expect(before(0)).toEqual([0, 'second'])
  expect(before(59)).toEqual([0, 'second'])
  expect(before(60)).toEqual([-1, 'minute'])
  expect(before(3599)).toEqual([-59, 'minute'])
  expect(before(3600)).toEqual([-1, 'hour'])
  expect(before(86_400 * 30)).toEqual([-30, 'day'])
  expect(before(86_400 * 31)).toBeNull()
  expect(before(-7200)).toEqual([2, 'hour'])
})
