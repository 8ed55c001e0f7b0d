import { accessible, expect, fitsWithTables, origins, test } from './console'
import { link } from './server'

const PROJECT = 'console-served'
const address = () => `${origins().served}/appcheck/${PROJECT}/(default)`

test('the modes of App Check are changed, and debug tokens made, shown once and removed', async ({ page, quiet }, { retry }) => {
  quiet(/400/)
  await page.goto(await link(true))
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible()
  // A test that failed may have left another mode.
  await page.evaluate(async (body) => {
    const { csrf } = await (await fetch('/api/session')).json()
    await fetch('/api/appcheck/mode', { method: 'PUT', headers: { 'content-type': 'application/json', 'x-clave-csrf': csrf }, body })
  }, '{"service": "firestore.googleapis.com", "mode": "UNENFORCED"}')
  await page.goto(address())
  const firestore = page.getByRole('row').filter({ hasText: 'Firestore' })
  const mode = page.getByLabel('Mode of Firestore')
  await expect(mode).toHaveValue('UNENFORCED')
  await expect(firestore.getByRole('cell').nth(2)).toHaveText('0')
  const choose = (label: string) =>
    Promise.all([page.waitForResponse((response) => response.request().method() === 'PUT' && response.ok()), mode.selectOption(label)])
  await choose('refused')
  await page.reload()
  await expect(mode).toHaveValue('ENFORCED')
  await choose('counted')

  const form = page.getByRole('form', { name: 'Make a debug token' })
  await form.getByLabel('App id').fill('no app')
  await form.getByRole('button', { name: 'Make a debug token' }).click()
  await expect(form.getByRole('alert')).toContainText('is no app id')
  await form.getByLabel('App id').fill('1:123:web:abc')
  await form.getByLabel('Name').fill(`laptop ${retry}`)
  await form.getByRole('button', { name: 'Make a debug token' }).click()
  await expect(form.getByRole('status')).toContainText(/[0-9a-f]{8}-[0-9a-f]{4}-4/)
  const secret = await form.getByRole('status').locator('.mono').innerText()
  const token = page.getByRole('row').filter({ hasText: `laptop ${retry}` })
  await expect(token).toContainText('1:123:web:abc')
  await accessible(page)
  await fitsWithTables(page)
  await page.reload()
  await expect(token).toBeVisible()
  expect(await page.content()).not.toContain(secret)
  await token.getByRole('button', { name: 'Remove' }).click()
  await token.getByRole('button', { name: 'Confirm: remove' }).click()
  await expect(token).toHaveCount(0)
})

test('a read-only session sees App Check and changes nothing', async ({ page }) => {
  await page.goto(await link(false))
  await expect(page.getByText('Read only')).toBeVisible()
  await page.goto(address())
  await expect(page.getByRole('row').filter({ hasText: 'Authentication' })).toContainText('not looked at')
  await expect(page.getByRole('combobox', { name: 'Mode of Firestore' })).toHaveCount(0)
  await expect(page.getByRole('form', { name: 'Make a debug token' })).toHaveCount(0)
})
