import { expect, type Page, test } from '@playwright/test'
import { PUBLIC_PATHS } from '../src/paths'
import { clearData, seed, stopClock, waitUntilLive } from './public-world'

// What visits cost, by the meter of Clave. Each worker has its own server, so only this page and the back office read.

const other = ['E2E_OFFICIAL', 'BASE_URL', 'CLAVE_NODES'].some((name) => name in process.env)
test.skip(other, 'only Clave counts reads, each of several nodes counts its own, and a server that others use counts theirs')

/** The events in the calendar: the next days, and days past. */
const UPCOMING = 12
const PAST = 8

/** The reads of one visit. All other pages read nothing. */
const BUDGETS: Record<string, { wide: number; phone: number }> = {
  '/': { wide: 3, phone: 6 },
  '/calendario': { wide: 12, phone: 24 },
  '/eventos/next-0': { wide: 5, phone: 9 },
}

/** A row of the meter. */
type Row = { reads: number; call: string; pattern: string; caller: string; query?: string }

/** Calls the meter of the project. */
async function meter(method: 'GET' | 'DELETE'): Promise<Row[]> {
  const server = process.env['FIRESTORE_EMULATOR_HOST'] ?? ''
  const project = process.env['GCLOUD_PROJECT'] ?? 'demo-fundacion'
  const answer = await fetch(`http://${server}/emulator/v1/projects/${project}:usage`, { method })
  if (!answer.ok) throw new Error(`the meter responded with ${answer.status}`)
  const report: { rows?: Row[] } = await answer.json()
  return report.rows ?? []
}

/** The reads of visitors since the last reset, and the calls that made them. Those of the back office are left out. */
async function cost(): Promise<{ reads: number; calls: string }> {
  const rows = (await meter('GET')).filter(({ caller, reads }) => caller !== 'admin' && reads > 0)
  return {
    reads: rows.reduce((sum, { reads }) => sum + reads, 0),
    calls: rows.map(({ reads, call, query, pattern }) => `${reads} by ${call} ${query ?? pattern}`).join('\n'),
  }
}

/** Waits until the page has nothing to do. */
const idle = (page: Page) => page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 2500 })))

/** Visits a page, and checks what it costs. */
async function visit(page: Page, path: string, view: 'wide' | 'phone'): Promise<void> {
  const budget = BUDGETS[path]?.[view] ?? 0
  await page.goto('about:blank')
  await meter('DELETE')
  await page.goto(path, { waitUntil: 'domcontentloaded' })
  await waitUntilLive(page)
  // The first gesture loads what is below a phone's first screen.
  if (view === 'phone') await page.keyboard.press('Shift')
  await expect.poll(async () => (await cost()).reads, `${path} reads less than ${budget}`).toBeGreaterThanOrEqual(budget)
  await idle(page)
  const { reads, calls } = await cost()
  expect.soft(reads, `a visit of ${path} costs:\n${calls}`).toBe(budget)
}

test.describe.configure({ timeout: 240_000 })

test.beforeEach(async ({ page }) => {
  await clearData()
  await stopClock(page)
  for (let i = 0; i < UPCOMING; i++) await seed(`next-${i}`, `2027-09-${18 + i}`, '19:30')
  for (let i = 0; i < PAST; i++) await seed(`past-${i}`, `2027-08-${10 + i}`, '19:30')
})

test('a visit of a public page costs the reads of its budget', async ({ page }) => {
  for (const path of [...PUBLIC_PATHS, '/eventos/next-0', '/no-existe']) {
    await test.step(path, () => visit(page, path, 'wide'))
  }
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } })

  test('the first rows are read once more by the live query', async ({ page }) => {
    for (const path of Object.keys(BUDGETS)) await test.step(path, () => visit(page, path, 'phone'))
  })
})
