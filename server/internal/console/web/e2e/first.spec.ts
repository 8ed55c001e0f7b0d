import type { Page } from '@playwright/test'
import { expect, I, seed, test, toolkit } from './console'

const PROJECT = 'demo-first'

test.beforeAll(() =>
  seed(PROJECT, Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`rows/r${String(i).padStart(3, '0')}`, { n: I(i) }]))),
)

/** Counts the rows of the first rendering. The page waits for them without its time limit of 250 ms. */
async function countFirst(page: Page, rows: string): Promise<() => Promise<number>> {
  await page.addInitScript((selector) => {
    const original = window.setTimeout.bind(window)
    const unlimited = (work: () => void, ms?: number) => (ms === 250 ? 0 : original(work, ms))
    Object.assign(window, { setTimeout: unlimited })
    new MutationObserver((_, observer) => {
      const root = document.getElementById('root')
      if (!root?.firstElementChild) return
      observer.disconnect()
      document.documentElement.dataset['first'] = String(root.querySelectorAll(selector).length)
    }).observe(document, { subtree: true, childList: true })
  }, rows)
  return async () => Number(await page.locator('html').getAttribute('data-first'))
}

test('the first rendering has the rows, which are requested once', async ({ page }) => {
  let lists = 0
  page.on('request', (request) => {
    if (request.url().includes('/api/rows?')) lists++
  })
  const first = await countFirst(page, '.grid-row')
  await page.goto(`/data/${PROJECT}/(default)/rows`)
  await expect(page.getByRole('row', { name: 'r000' })).toBeVisible()
  await expect(page.getByText('Live', { exact: true }).locator('.on')).toBeVisible()
  expect(await first()).toBeGreaterThan(10)
  expect(lists).toBe(1)
})

test('the first rendering has the users, which are requested once', async ({ page }) => {
  const accounts = `v1/projects/${PROJECT}/accounts`
  for (const localId of ['ann', 'bob']) await toolkit(accounts, { localId })
  let lists = 0
  page.on('request', (request) => {
    if (request.url().includes('accounts:batchGet')) lists++
  })
  const first = await countFirst(page, 'tbody tr')
  await page.goto(`/users/${PROJECT}/(default)`)
  await expect(page.getByRole('button', { name: 'bob' })).toBeVisible()
  expect(await first()).toBe(2)
  expect(lists).toBe(1)
  await page.getByRole('link', { name: 'Data' }).click()
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible()
  await toolkit(accounts, { localId: 'cid' })
  await page.getByRole('link', { name: 'Users' }).click()
  await expect(page.getByRole('button', { name: 'cid' })).toBeVisible()
})

test('rows that arrive late are shown then, and are requested once', async ({ page }) => {
  let lists = 0
  let release = () => {}
  const released = new Promise<void>((done) => {
    release = done
  })
  await page.route('**/api/rows?*collection=rows*', async (route) => {
    lists++
    await released
    await route.continue()
  })
  await page.goto(`/data/${PROJECT}/(default)/rows`)
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible()
  await expect(page.locator('.documents .skeleton')).toBeVisible()
  release()
  await expect(page.getByRole('row', { name: 'r000' })).toBeVisible()
  expect(lists).toBe(1)
})
