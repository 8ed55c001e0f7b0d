import { expect, test } from 'vitest'
import { differing, merge, same } from './event-inputs'
import { blank } from './event-values'

const base = { ...blank, title: 'Recital', location: 'Teatro', description: 'Uno\ndos' }

test('P-04 own changes are kept, other fields are updated', () => {
  const mine = { ...base, location: 'Parque', price: '250' }
  const theirs = { ...base, title: 'Gran recital', location: 'Plaza' }
  expect(merge(base, mine, theirs)).toEqual({ ...base, title: 'Gran recital', location: 'Parque', price: '250' })
  expect(merge(base, base, theirs)).toEqual(theirs)
  expect(merge(base, mine, base)).toEqual(mine)
})

test('an emptied field stays empty', () => {
  expect(merge(base, { ...base, description: '' }, { ...base, title: 'Otro' })).toEqual({ ...base, title: 'Otro', description: '' })
})

test('the ends of lines, which a text field changes, are no difference', () => {
  const stored = { ...base, description: 'Uno\r\ndos' }
  expect(differing(base, stored)).toEqual([])
  expect(same(base, { ...stored, time: '19:30' })).toBe(false)
  expect(differing(base, { ...stored, time: '19:30' })).toEqual(['time'])
})
