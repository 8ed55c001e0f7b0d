import { accessible, expect, fits, fitsWithTables, origins, test } from './console'
import { link } from './server'

const PROJECT = 'console-served'
const PAGES = [
  'Data',
  'Users',
  'Authentication',
  'App Check',
  'Denials',
  'Rules',
  'Now',
  'Indexes',
  'Events',
  'Backups',
  'Is it safe?',
  'Audit log',
]
const at = (page: string) => `${origins().served}/${page}/${PROJECT}/(default)`
const root = () => `${origins().served}/v1/projects/${PROJECT}/databases/(default)/documents`

test('production refuses requests without a session, and a link works once', async ({ page, quiet }) => {
  quiet(/40[13]/)
  expect((await page.goto(at('data')))?.status()).toBe(401)
  await expect(page.getByText('clave console')).toBeVisible()
  const once = await link(false)
  await page.goto(once)
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible()
  await page.context().clearCookies()
  expect((await page.goto(once))?.status()).toBe(401)
})

test('a read-only session sees all pages of production and changes nothing', async ({ page, quiet }) => {
  await page.goto(await link(true))
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible()
  const write = (id: string) =>
    page.evaluate(async (url) => {
      const { csrf } = await (await fetch('/api/session')).json()
      const body = JSON.stringify({ fields: { n: { integerValue: '1' } } })
      const headers = { 'content-type': 'application/json', 'x-clave-csrf': csrf }
      return (await fetch(url, { method: 'PATCH', headers, body })).status
    }, `${root()}/kept/${id}`)
  expect(await write('one')).toBe(200)
  await page.context().clearCookies()
  await page.goto(await link(false))
  await expect(page.getByText('Read only')).toBeVisible()
  expect(await page.getByRole('navigation', { name: 'Menu' }).getByRole('link').allTextContents()).toEqual(PAGES)
  await page.goto(`${at('data')}/kept/one`)
  await expect(page.getByLabel('Value of n')).toBeDisabled()
  await expect(page.getByRole('button', { name: 'New collection' })).toHaveCount(0)
  await accessible(page)
  await fits(page)
  quiet(/403/)
  expect(await write('two')).toBe(403)
  for (const name of PAGES.slice(1)) {
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name }).click()
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
    await expect(page.locator('.skeleton')).toHaveCount(0)
    expect(await page.evaluate(() => document.querySelectorAll('[role=alert]').length), name).toBe(0)
  }
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Is it safe?' }).click()
  await expect(page.getByRole('form', { name: 'Send a test e-mail' })).toHaveCount(0)
  await expect(page.getByText('Anyone may create an account')).toBeVisible()
  await accessible(page)
  await fits(page)
  await page.getByLabel('Language').selectOption('es')
  await expect(page.getByText('Cualquiera puede crear una cuenta')).toBeVisible()
  await expect(page.getByText(/^Los datos ocupan/)).toBeVisible()
  await expect(page.locator('main [lang=en]')).toHaveCount(0)
})

test('the deliveries of events, the backups and the settings of Authentication are shown', async ({ page }) => {
  await page.goto(await link(true))
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible()
  await page.evaluate(async (url) => {
    const { csrf } = await (await fetch('/api/session')).json()
    const headers = { 'content-type': 'application/json', 'x-clave-csrf': csrf }
    await fetch(url, { method: 'PATCH', headers, body: '{"fields": {}}' })
  }, `${root()}/orders/first`)
  const menu = page.getByRole('navigation', { name: 'Menu' })
  await menu.getByRole('link', { name: 'Events' }).click()
  const trigger = page.getByRole('region', { name: 'order-mails' })
  await expect(trigger.getByRole('row').filter({ hasText: 'orders/first' })).toBeVisible()
  await expect(trigger.getByText('has dead letters')).toBeVisible()
  await accessible(page)
  await fitsWithTables(page)
  await trigger.getByRole('button', { name: 'Deliver again' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'are delivered again' })).toBeVisible()
  await menu.getByRole('link', { name: 'Backups' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'restored for trial' })).toBeVisible()
  await accessible(page)
  await fitsWithTables(page)
  await menu.getByRole('link', { name: 'Authentication' }).click()
  const password = page.getByRole('row').filter({ hasText: 'E-mail and password' })
  await expect(password.getByRole('cell').last()).toHaveText('on')
  await expect(page.getByText('No identity provider is configured.')).toBeVisible()
  await accessible(page)
  await fitsWithTables(page)
})

test('a writing session changes documents, saves rules as a file, and ends', async ({ page, quiet }) => {
  quiet(/40[01]/)
  await page.goto(await link(true))
  await page.getByRole('button', { name: 'New collection' }).click()
  await page.getByLabel('Collection id').fill('made')
  await page.getByLabel('Document id').fill('here')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page).toHaveURL(/made\/here$/)
  await page.goto(at('audit'))
  await expect(page.getByRole('row', { name: /made\/here.*OK/ }).first()).toBeVisible()
  await page.goto(at('rules'))
  await expect(page.getByRole('textbox', { name: 'Draft' })).toContainText('match /notes/{id}')
  await expect(page.getByRole('button', { name: 'Put in force' })).toHaveCount(0)
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as a file' }).click()])
  expect(file.suggestedFilename()).toBe('firestore.rules')
  await page.goto(at('safety'))
  await page.getByLabel('Send a test e-mail to').fill('ana@example.org')
  await page.getByRole('button', { name: 'Send a test e-mail' }).click()
  await expect(page.getByText('No mail server is configured. Configure one with --mail.')).toBeVisible()
  await accessible(page)
  await page.getByRole('button', { name: 'End the session' }).click()
  await expect(page.getByText('clave console')).toBeVisible()
})
