import { test } from '@playwright/test'
import { clear } from '../admin-world'
import { FLOWS } from './flows'
import type { Engine, Tab } from './tab'
import { type Visitor, visitor } from './visitor'

/** The flows in an engine; skipped, with what is missing, on a machine that does not have it. */
export function drive({ name, missing, start }: Engine): void {
  if (missing) console.error(`The flows in ${name} are skipped: ${missing} is not installed.`)
  test.describe(name, () => {
    test.skip(missing !== '')
    test.skip('E2E_OFFICIAL' in process.env, 'The engines differ in the pages, not in the servers.')
    let tab: Tab
    let person: Visitor

    // One window for all: a start takes as long as a flow.
    test.beforeAll(async ({ baseURL }) => {
      tab = await start()
      person = visitor(tab, baseURL ?? '')
    })
    test.afterAll(() => tab?.close())
    test.beforeEach(async ({ baseURL }) => {
      await clear()
      // A flow must not find data that another one stored.
      await tab.open(`${baseURL}/favicon.svg`)
    })

    for (const { name: flow, width, run } of FLOWS) {
      test(`${flow}, ${width} px`, async () => {
        await tab.resize({ width, height: width === 360 ? 740 : 800 })
        await run(person)
      })
    }
  })
}
