import { expect, it } from 'vitest'
import { esRobot } from './robots'

it.each([
  ['a person', { trampa: '', momento: 9000, tecleado: true }, false],
  ['a hurried person', { trampa: '', momento: 900, tecleado: true }, false],
  ['autofill, a while later', { trampa: '', momento: 2000, tecleado: false }, false],
  ['a script at once', { trampa: '', momento: 1999, tecleado: false }, true],
  ['who fills the trap', { trampa: 'http://x', momento: 9000, tecleado: true }, true],
])('%s', (_, indicios, robot) => {
  expect(esRobot(indicios)).toBe(robot)
})
