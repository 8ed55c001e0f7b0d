import { expect, it } from 'vitest'
import { byWeek } from './weeks'

it('counts by weeks that begin on Monday in Santo Domingo', () => {
  // Sunday 31 January 2027, 22:00 there; Monday in UTC.
  const now = new Date('2027-02-01T02:00:00Z')
  const moments = [
    new Date('2027-01-25T04:00:00Z'), // Monday midnight there
    new Date('2027-01-25T03:59:59Z'), // a second earlier: the previous week
    new Date('2027-02-01T01:00:00Z'),
    new Date('2027-02-01T04:00:00Z'), // next Monday: not included
    null,
  ]
  expect(byWeek(moments, now, 2)).toEqual([
    { start: new Date('2027-01-18T04:00:00Z'), count: 1 },
    { start: new Date('2027-01-25T04:00:00Z'), count: 2 },
  ])
})
