import AxeBuilder from '@axe-core/playwright'
import { test as base, expect, type Locator, type Page } from '@playwright/test'
import { servers } from './server'

export { expect }

/** A test fails if a page logs anything, requests another origin, or has an uncaught error. */
export const test = base.extend<{ clean: void; quiet: (text: RegExp) => void }>({
  // oxlint-disable-next-line no-empty-pattern -- fixtures take a pattern
  quiet: async ({}, use, info) => {
    await use((text) => info.annotations.push({ type: 'quiet', description: text.source }))
  },
  clean: [
    async ({ page, context }, use, info) => {
      const problems: string[] = []
      const own = [origins().console, origins().served]
      page.on('console', (message) => problems.push(`${message.type()}: ${message.text()}`))
      page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
      context.on('request', (request) => {
        const url = request.url()
        if (!own.some((origin) => url.startsWith(`${origin}/`)) && !url.startsWith('blob:') && !url.startsWith('data:'))
          problems.push(`left the origin: ${url}`)
      })
      await use()
      const quiet = info.annotations.filter((one) => one.type === 'quiet').map((one) => new RegExp(one.description ?? ''))
      expect(problems.filter((problem) => !quiet.some((text) => text.test(problem)))).toEqual([])
    },
    { auto: true },
  ],
  // oxlint-disable-next-line no-empty-pattern -- fixtures take a pattern
  baseURL: async ({}, use) => use(origins().console),
})

export const origins = servers

type Wire = Record<string, unknown>

/** Writes documents as an administrator would. */
export async function seed(project: string, documents: Record<string, Record<string, Wire>>): Promise<void> {
  const root = `projects/${project}/databases/(default)/documents`
  const all = Object.entries(documents).map(([path, fields]) => ({ update: { name: `${root}/${path}`, fields } }))
  for (let i = 0; i < all.length; i += 400) {
    const response = await fetch(`${origins().firestore}/v1/projects/${project}/databases/(default)/documents:commit`, {
      method: 'POST',
      headers: { authorization: 'Bearer owner' },
      body: JSON.stringify({ writes: all.slice(i, i + 400) }),
    })
    if (!response.ok) throw new Error(await response.text())
  }
}

/** A stored document, in the JSON of the REST API. */
export async function stored(project: string, path: string): Promise<{ fields?: Record<string, Wire> } | null> {
  const url = `${origins().firestore}/v1/projects/${project}/databases/(default)/documents/${path}`
  const response = await fetch(url, { headers: { authorization: 'Bearer owner' } })
  return response.status === 404 ? null : response.json()
}

/** Calls Identity Toolkit, as an administrator or as a user. */
export async function toolkit<T>(path: string, body: object, owner = true): Promise<T> {
  const response = await fetch(`${origins().auth}/identitytoolkit.googleapis.com/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(owner && { authorization: 'Bearer owner' }) },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}

export const S = (stringValue: string): Wire => ({ stringValue })
export const I = (n: number | string): Wire => ({ integerValue: String(n) })

/** The rows of long tables after the first ones. They have the same elements, and checking the contrast of each takes most of the time. */
const REPEATED = ['.grid-row:nth-child(n+7)', 'tbody tr:nth-child(n+7)']

/** Checks with axe, with all rules or some. */
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode()
  for (const selector of REPEATED) axe.exclude(selector)
  const found = await (rules ? axe.withRules(rules) : axe).analyze()
  return found.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary ?? ''}`).join(', ')}`,
  )
}

/** Checks a page with all rules of axe in the light theme, and its contrast in the dark theme. */
export async function accessible(page: Page): Promise<void> {
  expect(await violations(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await violations(page, ['color-contrast'])).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Checks that a page does not scroll horizontally at widths from a phone's to a desktop's. */
export async function fits(page: Page): Promise<void> {
  for (const width of [360, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), `at ${width}`).toBeLessThanOrEqual(0)
    if (width === 360) await expect.poll(() => page.evaluate(smallTargets)).toEqual([])
  }
}

/** Checks that a page fits, and that its tables and facts show whole rows at the same widths. */
export async function fitsWithTables(page: Page): Promise<void> {
  await fits(page)
  for (const width of [360, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await page.evaluate(cutOff), `at ${width}`).toEqual([])
  }
}

/** The tables of which a part is beyond the edge, and the values that have the room of a few letters. Runs in the page. */
function cutOff(): string[] {
  const tables = [...document.querySelectorAll('.scroll-x')].filter((one) => one.scrollWidth > one.clientWidth)
  const values = [...document.querySelectorAll('.facts > dd')].filter((one) => one.clientWidth > 0 && one.clientWidth < 80)
  return [...tables, ...values].map((one) => one.getAttribute('aria-label') ?? one.textContent)
}

/** The visible controls that are too small for a finger, less than 36 × 36 pixels, with their sizes. Runs in the page. */
function smallTargets(): string[] {
  const most = document.querySelector('dialog[open]') ?? document
  return [...most.querySelectorAll<HTMLElement>('button, input, select, textarea, nav a, .links a, .picker')].flatMap((control) => {
    // A label or a table row is pressed instead of the control inside it.
    const target = control.matches('[type=checkbox]')
      ? control.closest('label')
      : control.matches('td .link')
        ? control.closest('tr')
        : control
    const { width, height } = (target ?? control).getBoundingClientRect()
    const hidden = width === 0 || !control.checkVisibility() || control.closest('.hidden-label') !== null
    const small = height < 36 || (width < 36 && !control.matches('.head-button, .link'))
    return !hidden && small ? [`${control.outerHTML.slice(0, 120)}: ${Math.round(width)} × ${Math.round(height)}`] : []
  })
}

/** Replaces the text of an editor by pasting. */
export async function paste(editor: Locator, text: string): Promise<void> {
  const page = editor.page()
  await page.evaluate((what) => navigator.clipboard.writeText(what), text)
  await editor.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+v')
}
