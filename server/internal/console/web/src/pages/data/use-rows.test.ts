import { expect, test } from 'vitest'
import { watchWindow } from './use-rows'

const docs = (count: number, size: number) => Array.from({ length: count }, () => ({ size }))
const SEEN = { first: 60, last: 80 }

test('rows around the visible ones are watched, in steps', () => {
  expect(watchWindow(SEEN, docs(1000, 100), false)).toEqual({ first: 0, last: 150 })
  expect(watchWindow({ first: 61, last: 81 }, docs(1000, 100), false)).toEqual({ first: 0, last: 150 })
  expect(watchWindow(SEEN, docs(90, 100), false)).toEqual({ first: 0, last: 89 })
  expect(watchWindow({ first: 0, last: 0 }, [], false)).toEqual({ first: 0, last: 0 })
})

test('only visible rows are watched if they are large, and none if they are too large', () => {
  expect(watchWindow(SEEN, docs(1000, 50_000), false)).toEqual(SEEN)
  expect(watchWindow(SEEN, docs(1000, 900_000), false)).toBeNull()
  expect(watchWindow(SEEN, docs(1000, 50_000), true)).toBeNull()
  expect(watchWindow(SEEN, docs(300, 100), true)).toEqual({ first: 0, last: 150 })
})
