import { accessible, expect, fitsWithTables, I, origins, S, seed, test, toolkit } from './console'

const PROJECT = 'demo-layout'
const at = (page: string) => `/${page}/${PROJECT}/(default)`

test.beforeAll(async () => {
  await seed(PROJECT, {
    'ghosts/none/orders/o1': { n: I(1) },
    'people/ann': { active: { booleanValue: true }, biography: S('A text that is much longer than a boolean, and has a wide column.') },
  })
  // A refused request, which the list of requests shows.
  await fetch(`${origins().firestore}/v1/projects/demo-console/databases/(default)/documents/notes/layout`)
})

/** The bounding box of a locator's element. */
const boxOf = async (found: { boundingBox: () => Promise<{ x: number; y: number; width: number; height: number } | null> }) => {
  const box = await found.boundingBox()
  if (!box) throw new Error('it has no box')
  return box
}

test('documents without fields keep their checkbox and id in one row', async ({ page }) => {
  await page.goto(`${at('data')}/ghosts`)
  const row = page.getByRole('row', { name: 'none' })
  const check = await boxOf(row.getByRole('checkbox'))
  const id = await boxOf(row.getByText('none', { exact: true }))
  expect(id.x).toBeGreaterThan(check.x + check.width)
  expect(Math.abs(id.y + id.height / 2 - (check.y + check.height / 2))).toBeLessThan(4)
})

test('the editor of rules is as tall as the page allows', async ({ page }) => {
  await page.goto(at('rules'))
  const editor = page.locator('.tall .code-host')
  await expect(editor).toBeVisible()
  for (const height of [800, 1100]) {
    await page.setViewportSize({ width: 1280, height })
    await expect.poll(async () => (await boxOf(editor)).height).toBeGreaterThan(height - 260)
    await expect(page.getByRole('button', { name: 'Save as a file' })).toBeInViewport({ ratio: 1 })
  }
})

test('columns are as wide as their content and aligned with their heads', async ({ page }) => {
  await page.goto(`${at('data')}/people`)
  const row = page.getByRole('row', { name: 'ann' })
  const narrow = await boxOf(row.getByRole('gridcell', { name: 'true', exact: true }))
  const wide = await boxOf(row.getByRole('gridcell', { name: /^A text/ }))
  expect(narrow.width).toBeLessThan(wide.width / 2)
  const head = await boxOf(page.getByRole('columnheader', { name: 'biography' }))
  expect(head.x).toBe(wide.x)
})

test('a dialog keeps its upper edge while its content changes', async ({ page }) => {
  await page.goto(at('data'))
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible()
  await page.keyboard.press('Control+k')
  const dialog = page.getByRole('dialog')
  const before = await boxOf(dialog)
  await page.keyboard.type('zzzz')
  await expect(dialog.getByText('No command or collection has this name.')).toBeVisible()
  const after = await boxOf(dialog)
  expect(after.y).toBe(before.y)
  expect(after.height).toBeLessThan(before.height)
})

test('a dialog with a long title can be closed on a phone', async ({ page }) => {
  const id = 'a'.repeat(60)
  await seed(PROJECT, { [`long/${id}`]: { n: I(1) } })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${at('data')}/long/${id}`)
  await page
    .getByRole('region', { name: `long/${id}` })
    .getByRole('button', { name: 'Actions' })
    .click()
  await page.getByRole('menuitem', { name: 'Delete document' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: 'Close' })).toBeInViewport({ ratio: 1 })
  expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
})

test('a row of a table opens wherever it is clicked, and the rules show the deciding line', async ({ page }) => {
  await page.goto('/requests/demo-console/(default)?path=notes/layout')
  const row = page.getByRole('row', { name: /notes\/layout/ }).first()
  const cell = await boxOf(row.getByRole('cell', { name: 'get', exact: true }))
  await page.mouse.click(cell.x + cell.width / 2, cell.y + cell.height / 2)
  const dialog = page.getByRole('dialog')
  await expect(dialog.locator('.decides-deny, .decides-error').first()).toBeInViewport()
  await expect(dialog.locator('.cm-activeLine')).toContainText('allow read')
})

test('a long query is run on a phone without scrolling, and its problem is in view', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${at('data')}/people`)
  await page.getByRole('button', { name: 'Query' }).click()
  const form = page.getByRole('form', { name: 'Query' })
  await form.getByLabel('Field').fill('age')
  await form.getByLabel('Type').selectOption('integer')
  await form.getByLabel('Value').fill('old')
  for (const name of ['Add condition', 'Add condition', 'Add condition', 'Add order', 'Add aggregation'])
    await form.getByRole('button', { name, exact: true }).click()
  const run = form.getByRole('button', { name: 'Run' })
  await expect(run).toBeInViewport({ ratio: 1 })
  await run.click()
  await expect(form.getByRole('alert')).toBeInViewport({ ratio: 1 })
  await accessible(page)
  await form.getByLabel('Type').first().selectOption('string')
  await run.click()
  await expect(form.getByRole('status')).toHaveText(/count\s*0/)
  await expect(form.getByRole('status')).toBeInViewport({ ratio: 1 })
})

test('the menu of a phone closes by a press beside it', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${at('data')}/people`)
  await page.getByRole('button', { name: 'Menu' }).click()
  const menu = page.getByRole('navigation', { name: 'Menu' })
  await expect(menu).toBeVisible()
  await page.mouse.click(330, 400)
  await expect(menu).toBeHidden()
  await expect(page).toHaveURL(/people$/)
})

test('the columns of a table are chosen in a dialog', async ({ page }) => {
  await page.goto(`${at('data')}/people`)
  await page.getByRole('button', { name: 'Columns' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('biography').uncheck()
  await expect(dialog).toContainText('1 of 2 fields are columns of the table.')
  await accessible(page)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('columnheader', { name: 'active' })).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'biography' })).toHaveCount(0)
})

test('the table of users shows whole rows on phones and tablets, and a refusal is a sentence', async ({ page, quiet }) => {
  quiet(/400/)
  const email = `somebody.with.a.long.name.${test.info().retry}@example.org`
  await toolkit(`v1/projects/${PROJECT}/accounts`, {
    email,
    displayName: 'Inmaculada Concepción de la Rosa',
    phoneNumber: `+1809555017${test.info().retry}`,
    password: 'secret-1',
  })
  await page.goto(at('users'))
  await expect(page.getByRole('row', { name: /somebody/ })).toBeVisible()
  await fitsWithTables(page)
  await page.getByRole('button', { name: 'User', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill(email)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByRole('alert')).toContainText('An account with this e-mail address exists.')
})

test('the button of a long form is in view on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 600 })
  await page.goto(at('auth'))
  await page.getByRole('button', { name: 'Add a provider' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').selectOption({ label: 'another one of OpenID Connect' })
  expect(await dialog.evaluate((element) => element.scrollHeight - element.clientHeight)).toBeGreaterThan(0)
  await expect(dialog.getByRole('button', { name: 'Save' })).toBeInViewport({ ratio: 1 })
  await accessible(page)
})
