import { expect, it } from 'vitest'
import { isRobot } from './robots'

it.each([
  ['a person', { trap: '', moment: 9000, typed: true }, false],
  ['a hurried person', { trap: '', moment: 900, typed: true }, false],
  ['autofill, a while later', { trap: '', moment: 2000, typed: false }, false],
  ['a script at once', { trap: '', moment: 1999, typed: false }, true],
  ['who fills the trap', { trap: 'http://x', moment: 9000, typed: true }, true],
])('%s', (_, hints, robot) => {
  expect(isRobot(hints)).toBe(robot)
})
