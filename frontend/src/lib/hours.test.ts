import { expect, it } from 'vitest'
import { site } from '../content/sitio'
import { isOpenAt } from './hours'

it.each([
  ['2027-09-13T08:59:00-04:00', false],
  ['2027-09-13T09:00:00-04:00', true],
  ['2027-09-13T15:59:00-04:00', true],
  ['2027-09-13T16:00:00-04:00', false],
  ['2027-09-18T10:00:00-04:00', true],
  ['2027-09-19T10:00:00-04:00', false],
  ['2027-09-19T23:30:00-04:00', false],
])('at %s: open %s', (moment, open) => {
  expect(isOpenAt(new Date(moment), site.hours)).toBe(open)
})
