import { expect, test } from 'vitest'
import { groups } from './group'

const at = (second: number, path: string, uid: string | null = null) => ({
  time: `2030-01-01T00:00:0${second}Z`,
  method: 'get',
  path,
  lines: [5],
  uid,
})

test('equal denials are one group, at the place of its newest one', () => {
  const denials = [at(5, 'notes/*'), at(4, 'people/*'), at(3, 'notes/*', 'ana'), at(2, 'notes/*'), at(1, 'notes/*')]
  expect(
    groups(denials).map(({ denial, times, first }) => [denial.path, denial.uid, denial.time.slice(-3), times, first.slice(-3)]),
  ).toEqual([
    ['notes/*', null, '05Z', 3, '01Z'],
    ['people/*', null, '04Z', 1, '04Z'],
    ['notes/*', 'ana', '03Z', 1, '03Z'],
  ])
})
