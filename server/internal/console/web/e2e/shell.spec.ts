import { accessible, expect, fits, S, seed, test } from './console'

const PROJECT = 'demo-shell'

test.beforeAll(() => seed(PROJECT, { 'songs/son': { title: S('Son') } }))

test('the command palette opens every page by keyboard', async ({ page }) => {
  await page.goto(`/data/${PROJECT}/(default)`)
  await expect(page.getByRole('link', { name: /^songs \d/ })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox', { name: /Go to a page/ })).toBeFocused()
  await expect(page.getByRole('option', { name: 'songs' })).toBeVisible()
  await accessible(page)
  await page.keyboard.type('sng')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/songs$/)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('songs/son')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Value of title')).toHaveValue('Son')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('user')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Users' })).toBeVisible()
})

test('Enter before the collections are loaded opens the collection that matches the text', async ({ page }) => {
  await page.goto(`/users/${PROJECT}/(default)`)
  await expect(page.getByRole('heading', { name: 'Users' })).toBeVisible()
  let release = () => {}
  const released = new Promise<void>((done) => {
    release = done
  })
  await page.route('**/api/collections*', async (route) => {
    await released
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('sngs')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Commands' })
  await expect(dialog.getByRole('status')).toHaveText('Loading…')
  await expect(page).toHaveURL(/users/)
  release()
  await expect(page).toHaveURL(/data\/demo-shell\/\(default\)\/songs$/)
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('row', { name: 'son' })).toBeVisible()
})

test('Enter opens a page while the collections are loading', async ({ page }) => {
  await page.goto(`/users/${PROJECT}/(default)`)
  await expect(page.getByRole('heading', { name: 'Users' })).toBeVisible()
  await page.route('**/api/collections*', () => {})
  await page.keyboard.press('Control+k')
  await page.keyboard.type('index')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Indexes' })).toBeVisible()
})

test('the menu, the content and a document are reached by keyboard', async ({ page }) => {
  await page.goto(`/data/${PROJECT}/(default)/songs`)
  await expect(page.getByRole('row', { name: 'son' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'New collection' })).toBeFocused()
  const row = page.getByRole('row', { name: 'son' })
  for (let i = 0; i < 20 && !(await row.evaluate((element) => element === document.activeElement)); i++) await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await expect(page.getByText('1 selected')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Value of title')).toBeVisible()
})

test('Spanish and the dark theme are remembered', async ({ page }) => {
  await page.goto(`/data/${PROJECT}/(default)/songs`)
  await page.getByLabel('Language').selectOption('es')
  await expect(page.getByRole('heading', { name: 'Colecciones' })).toBeVisible()
  await page.getByLabel('Tema').selectOption('dark')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Colecciones' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'es')
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark')
  await fits(page)
})

test('an ended session shows the command for a new one', async ({ page, quiet }) => {
  quiet(/401/)
  await page.goto(`/data/${PROJECT}/(default)/songs`)
  await page.getByRole('row', { name: 'son' }).focus()
  await page.route('**/api/**', (route) =>
    route.fulfill({ status: 401, json: { error: { code: 401, status: 'UNAUTHENTICATED', message: 'no session' } } }),
  )
  // A request of the list can be refused first, and then there is no row to click.
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'The session has ended' })).toBeVisible()
  await expect(page.getByText('clave console')).toBeVisible()
  await accessible(page)
})
