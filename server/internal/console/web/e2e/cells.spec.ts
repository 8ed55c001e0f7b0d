import { accessible, expect, fits, I, S, seed, stored, test } from './console'

const PROJECT = 'demo-cells'
const DATA = `/data/${PROJECT}/(default)/choir`
const named = (id: string) => new RegExp(`\\b${id}\\b`)

test.beforeEach(async () => {
  await seed(PROJECT, {
    'choir/ana': { age: I(12), name: S('Ana'), note: S('one\ntwo'), solo: { booleanValue: true } },
    'choir/eva': { age: I(13), name: S('Eva'), solo: { booleanValue: false } },
  })
})

test('a value is edited in the table with the keyboard, and keeps its type', async ({ page }) => {
  await page.goto(DATA)
  const row = page.getByRole('row', { name: named('ana') })
  await row.focus()
  await page.keyboard.press('ArrowRight')
  await expect(row.getByRole('gridcell', { name: '12' })).toBeFocused()
  await page.keyboard.press('Enter')
  const input = page.getByLabel('Value of age')
  await expect(input).toBeFocused()
  await input.fill('no number')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toBeVisible()
  await accessible(page)
  await page.keyboard.press('Escape')
  await expect(row.getByRole('gridcell', { name: '12' })).toBeFocused()
  await page.keyboard.press('F2')
  await input.fill('40')
  const [sent] = await Promise.all([page.waitForRequest((request) => request.url().includes(':commit')), page.keyboard.press('Enter')])
  // Only the field is written.
  expect(sent.postDataJSON().writes[0].updateMask.fieldPaths).toEqual(['age'])
  await expect(row.getByRole('gridcell', { name: '40' })).toBeFocused()
  expect((await stored(PROJECT, 'choir/ana'))?.fields).toMatchObject({ age: I(40), name: S('Ana') })
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('row', { name: named('eva') }).getByRole('gridcell', { name: '13' })).toBeFocused()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(row.getByRole('gridcell', { name: '12' })).toBeVisible()
  await fits(page)
})

test('a double click edits, the end of the focus saves, and long texts open the document', async ({ page }) => {
  await page.goto(DATA)
  const row = page.getByRole('row', { name: named('eva') })
  await row.getByRole('gridcell', { name: 'false' }).dblclick()
  await page.locator('.cell-edit select').selectOption('true')
  await page.getByRole('heading', { name: 'Collections', exact: true }).click()
  await expect.poll(async () => (await stored(PROJECT, 'choir/eva'))?.fields?.['solo']).toEqual({ booleanValue: true })
  await page
    .getByRole('row', { name: named('ana') })
    .getByRole('gridcell', { name: /^one/ })
    .dblclick()
  await expect(page.getByRole('region', { name: 'choir/ana' }).getByLabel('Value of note')).toHaveValue('one\ntwo')
  await expect(page.locator('.cell-edit')).toHaveCount(0)
})

test('a change by another client of the same value is shown, and of another value is kept', async ({ page, quiet }) => {
  quiet(/400/)
  await page.goto(DATA)
  const row = page.getByRole('row', { name: named('ana') })
  await row.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  const input = page.getByLabel('Value of age')
  await input.fill('50')
  await seed(PROJECT, { 'choir/ana': { age: I(12), name: S('Ana María'), solo: { booleanValue: true } } })
  await page.keyboard.press('Enter')
  await expect(input).toBeHidden()
  expect((await stored(PROJECT, 'choir/ana'))?.fields).toMatchObject({ age: I(50), name: S('Ana María') })
  await page.keyboard.press('Enter')
  await input.fill('60')
  await seed(PROJECT, { 'choir/ana': { age: I(55), name: S('Ana María') } })
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('Another client changed it to “55”')
  expect((await stored(PROJECT, 'choir/ana'))?.fields).toMatchObject({ age: I(55) })
  await page.keyboard.press('Enter')
  await expect(input).toBeHidden()
  expect((await stored(PROJECT, 'choir/ana'))?.fields).toMatchObject({ age: I(60) })
})

test('what is typed and is no value becomes a draft of the document when the page is left', async ({ page }) => {
  await page.goto(DATA)
  const row = page.getByRole('row', { name: named('eva') })
  await row.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.getByLabel('Value of age').fill('thirteen')
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Users' }).click()
  await page.getByRole('button', { name: 'Go back to it' }).click()
  await expect(page.getByRole('region', { name: 'choir/eva' }).getByLabel('Value of age')).toHaveValue('thirteen')
  expect((await stored(PROJECT, 'choir/eva'))?.fields).toMatchObject({ age: I(13) })
})
