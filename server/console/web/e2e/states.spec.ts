import { accessible, expect, fits, I, origins, seed, test } from './console'
import { link } from './server'

const PROJECT = 'demo-states'
const at = (page: string) => `/${page}/${PROJECT}/(default)`
const DEVELOPMENT = ['data', 'users', 'requests', 'rules', 'now', 'codes', 'indexes', 'lab', 'audit']
const PRODUCTION = ['data', 'users', 'rules', 'now', 'indexes', 'safety', 'audit']

test.beforeAll(() => seed(PROJECT, { 'things/one': { n: I(1) } }))

test('every page of development is accessible and fits, in Spanish too', async ({ page }) => {
  for (const name of DEVELOPMENT) {
    await page.goto(at(name))
    await expect(page.locator('main').getByRole('heading').first()).toBeAttached()
    await expect(page.locator('.skeleton')).toHaveCount(0)
    await accessible(page)
    await fits(page)
  }
  await page.goto(at('data'))
  await page.getByLabel('Language').selectOption('es')
  for (const name of DEVELOPMENT) {
    await page.goto(at(name))
    await expect(page.locator('html')).toHaveAttribute('lang', 'es')
    await expect(page.locator('.skeleton')).toHaveCount(0)
    await fits(page)
  }
})

test('every page of production is accessible and fits', async ({ page }) => {
  await page.goto(await link(true))
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible()
  for (const name of PRODUCTION) {
    await page.goto(`${origins().served}/${name}/console-served/(default)`)
    await expect(page.locator('main').getByRole('heading').first()).toBeAttached()
    await expect(page.locator('.skeleton')).toHaveCount(0)
    await accessible(page)
    await fits(page)
  }
})

test('a page whose requests fail says so, and tries again', async ({ page, quiet }) => {
  quiet(/500|403/)
  const failing = {
    users: '**/accounts:batchGet*',
    indexes: '**/api/indexes*',
    audit: '**/api/audit*',
    now: '**/api/now',
    rules: '**/api/rules?*',
  }
  for (const [name, url] of Object.entries(failing)) {
    await page.route(url, (route) =>
      route.fulfill({ status: 500, json: { error: { code: 500, status: 'INTERNAL', message: 'It broke on purpose.' } } }),
    )
    await page.goto(at(name))
    const alert = page.getByRole('alert').filter({ hasText: 'It broke on purpose.' })
    await expect(alert).toBeVisible()
    await accessible(page)
    await page.unroute(url)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await expect(alert).toHaveCount(0)
  }
  await page.route('**/api/indexes*', (route) =>
    route.fulfill({ status: 403, json: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'Not for this session.' } } }),
  )
  await page.goto(at('indexes'))
  await expect(page.getByRole('alert')).toContainText('This session may not do that')
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0)
})

test('a server that is gone is told, and what was typed stays', async ({ page, context, quiet }) => {
  // The SDK looks for a network by an image of Google's. The pages' policy blocks that before anything is sent.
  quiet(/ERR_|Failed|WebChannel|transport|www\.google\.com\/images\/cleardot/)
  const elsewhere: (string | undefined)[] = []
  page.on('requestfinished', (request) => {
    if (!request.url().startsWith(origins().console)) elsewhere.push(request.url())
  })
  page.on('requestfailed', (request) => {
    if (!request.url().startsWith(origins().console)) elsewhere.push(request.failure()?.errorText)
  })
  await page.goto(`${at('data')}/things/one`)
  await expect(page.getByText('Live', { exact: true }).locator('.on')).toBeVisible()
  await page.getByLabel('Value of n').fill('2')
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert')).toContainText('The server does not answer.')
  await expect(page.getByLabel('Value of n')).toHaveValue('2')
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  expect(elsewhere.filter((how) => how !== 'csp')).toEqual([])
})

test('a large file goes in with its progress', async ({ page }) => {
  const all = Array.from({ length: 2500 }, (_, i) => ({ id: `r${i}`, n: i }))
  const csv = ['__id__,n', ...all.map(({ id, n }) => `${id},${n}`)].join('\n')
  await page.goto(`${at('data')}/things`)
  await page.getByRole('region', { name: 'things', exact: true }).getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Import' }).click()
  await page.getByLabel('File').setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
  await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
  await expect(page.getByRole('progressbar')).toBeVisible()
  await expect(page.getByText('2500 documents imported')).toBeVisible()
  await expect(page.getByRole('link', { name: /^things 2,?501/ })).toBeVisible()
})
