import type { Page } from '@playwright/test'
import { accessible, expect, fits, I, origins, paste, S, seed, stored, test, toolkit } from './console'
import { link } from './server'

const PROJECT = 'demo-drafts'
const DATA = `/data/${PROJECT}/(default)`

test.beforeAll(() => seed(PROJECT, { 'notes/first': { text: S('a'), n: I(1) }, 'notes/second': { text: S('b') } }))

const draftOf = (page: Page, name: string) => page.getByRole('region', { name: 'Unsaved drafts' }).getByRole('link', { name })

/** The ways out of an edited document; each leads to another view of the page. */
const WAYS: Record<string, (page: Page) => Promise<unknown>> = {
  'another row': (page) => page.getByRole('row', { name: 'second' }).click(),
  'the cross': (page) => page.getByRole('region', { name: 'notes/first' }).getByRole('button', { name: 'Close' }).click(),
  'the menu': (page) => page.getByRole('link', { name: 'Users', exact: true }).click(),
  Back: (page) => page.goBack(),
  'a command': async (page) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Go to a page/ }).fill('rules')
    await page.keyboard.press('Enter')
  },
}

for (const [way, leave] of Object.entries(WAYS)) {
  test(`a draft of a document is kept: left by ${way}`, async ({ page }) => {
    await page.goto(`${DATA}/notes`)
    await page.getByRole('row', { name: 'first' }).click()
    await page.getByLabel('Value of text').fill(`typed before ${way}`)
    await page.getByLabel('Value of n').fill('12x')
    await leave(page)
    const notice = page.getByRole('status').filter({ hasText: 'Your draft of notes/first is kept' })
    await expect(notice).toBeVisible()
    await expect(page.getByRole('region', { name: 'notes/first' })).toHaveCount(0)
    if (way === 'the menu') await notice.getByRole('button', { name: 'Go back to it' }).click()
    else await draftOf(page, 'notes/first').click()
    await expect(page.getByLabel('Value of text')).toHaveValue(`typed before ${way}`)
    await expect(page.getByLabel('Value of n')).toHaveValue('12x')
    await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    await expect(page.getByLabel('Value of n')).toHaveValue('1')
    await expect(draftOf(page, 'notes/first')).toHaveCount(0)
  })
}

test('texts that are no values are kept, and are not saved', async ({ page }) => {
  const texts = { 'Value of blob': 'abc', Latitude: '91', 'Value of half': '1e' }
  await seed(PROJECT, {
    'notes/texts': {
      blob: { bytesValue: 'aGVsbG8=' },
      half: { doubleValue: 2 },
      place: { geoPointValue: { latitude: 18.5, longitude: -69.9 } },
    },
  })
  await page.goto(`${DATA}/notes/texts`)
  for (const [label, text] of Object.entries(texts)) {
    await page.getByLabel(label).fill(text)
    await expect(page.getByText('some values are not valid yet')).toBeVisible()
    await page.getByRole('row', { name: 'second' }).click()
    await draftOf(page, 'notes/texts').click()
    await expect(page.getByLabel(label)).toHaveValue(text)
    await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    await expect(page.getByLabel(label)).not.toHaveValue(text)
    await expect(draftOf(page, 'notes/texts')).toHaveCount(0)
  }
})

test('a reload asks, and the draft outlives it', async ({ page }) => {
  await page.goto(`${DATA}/notes/first`)
  await page.getByLabel('Value of text').fill('typed before the reload')
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await page.reload()
  expect(asked).toEqual(['beforeunload'])
  await expect(page.getByLabel('Value of text')).toHaveValue('typed before the reload')
  await expect(page.getByText('Unsaved changes')).toBeVisible()
  await accessible(page)
  await fits(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  expect((await stored(PROJECT, 'notes/first'))?.fields).toMatchObject({ text: S('typed before the reload') })
  await page.reload()
  await expect(page.getByLabel('Value of text')).toBeVisible()
  expect(asked).toHaveLength(1)
})

test('a draft is discarded from another page, and the discard is undone', async ({ page }) => {
  await page.goto(`${DATA}/notes/second`)
  await page.getByLabel('Value of text').fill('kept')
  await page.getByRole('link', { name: 'Users', exact: true }).click()
  await page.getByRole('button', { name: 'Discard the draft of notes/second' }).click()
  await expect(draftOf(page, 'notes/second')).toHaveCount(0)
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await draftOf(page, 'notes/second').click()
  await expect(page.getByLabel('Value of text')).toHaveValue('kept')
})

test('JSON that is not valid yet is kept: by the tab of fields, and by a way out', async ({ page }) => {
  await seed(PROJECT, { 'notes/json': { text: S('a') } })
  await page.goto(`${DATA}/notes/json`)
  await page.getByRole('tab', { name: 'JSON' }).click()
  const editor = page.getByRole('textbox', { name: 'JSON' })
  await paste(editor, '{ "text": "typed", "more": ')
  await page.getByRole('tab', { name: 'Fields' }).click()
  await expect(page.getByRole('alert')).toContainText('The JSON is not valid yet')
  await accessible(page)
  await page.getByRole('button', { name: 'Back to the JSON' }).click()
  await expect(editor).toContainText('"more"')
  await page.getByRole('row', { name: 'second' }).click()
  await page.goBack()
  await expect(editor).toContainText('"more"')
  // Another client's change is merged once the text is valid.
  await seed(PROJECT, { 'notes/json': { text: S('a'), theirs: I(1) } })
  await expect(page.getByText('Its changes are merged once the JSON is valid')).toBeVisible()
  await paste(editor, '{ "text": "typed", "more": true }')
  await expect(editor).toContainText('"theirs": 1')
  await page.getByRole('tab', { name: 'Fields' }).click()
  await expect(page.getByLabel('Value of text')).toHaveValue('typed')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  expect((await stored(PROJECT, 'notes/json'))?.fields).toEqual({ text: S('typed'), more: { booleanValue: true }, theirs: I(1) })
})

test('the draft of a document that is deleted elsewhere is kept, and creates it again', async ({ page }) => {
  await seed(PROJECT, { 'notes/gone': { text: S('a'), n: I(1) } })
  await page.goto(`${DATA}/notes/gone`)
  await page.getByLabel('Value of text').fill('mine')
  const remove = `${origins().firestore}/v1/projects/${PROJECT}/databases/(default)/documents/notes/gone`
  await fetch(remove, { method: 'DELETE', headers: { authorization: 'Bearer owner' } })
  await expect(page.getByText('The document was deleted. Your draft of it is kept.')).toBeVisible()
  await accessible(page)
  await page.getByRole('row', { name: 'second' }).click()
  await draftOf(page, 'notes/gone').click()
  await expect(page.getByLabel('Value of text')).toHaveValue('mine')
  await page.getByRole('button', { name: 'Create again' }).click()
  await expect(page.getByRole('button', { name: 'Create again' })).toBeHidden()
  expect((await stored(PROJECT, 'notes/gone'))?.fields).toEqual({ text: S('mine'), n: I(1) })
})

test('a draft of rules is kept, and says when the rules in force have changed since', async ({ page }) => {
  const rules = `/rules/${PROJECT}/(default)`
  await page.goto(rules)
  const editor = page.getByRole('textbox', { name: 'Draft' })
  await editor.click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('// typed ')
  await page.getByRole('link', { name: 'Data', exact: true }).click()
  await expect(page.getByText('Your draft of Rules is kept')).toBeVisible()
  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await draftOf(page, 'Rules').click()
  await expect(editor).toContainText('// typed')
  await accessible(page)
  await fits(page)
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  await expect(editor).not.toContainText('// typed')
  await expect(draftOf(page, 'Rules')).toHaveCount(0)
})

test('drafts of an account and of its claims are kept', async ({ page }) => {
  await toolkit(`v1/projects/${PROJECT}/accounts`, { localId: 'ana', email: 'ana@example.org', password: 'secret-word' })
  await page.goto(`/users/${PROJECT}/(default)?user=ana`)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Ana')
  await dialog.getByRole('tab', { name: 'Claims' }).click()
  await paste(dialog.getByRole('textbox', { name: 'Claims' }), '{ "role": ')
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Users' }).first().waitFor()
  if (await dialog.isVisible()) await page.keyboard.press('Escape')
  await draftOf(page, 'ana: Claims').click()
  await expect(dialog.getByRole('textbox', { name: 'Claims' })).toContainText('"role"')
  await dialog.getByRole('tab', { name: 'Account' }).click()
  await expect(dialog.getByLabel('Name')).toHaveValue('Ana')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByRole('button', { name: 'Discard' })).toBeHidden()
})

test('the end of a session with drafts asks first', async ({ page }) => {
  await page.goto(await link(true))
  await page.goto(`${origins().served}/rules/console-served/(default)`)
  await page.getByRole('textbox', { name: 'Draft' }).click()
  await page.keyboard.type('// x')
  await page.getByRole('button', { name: 'End the session' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('One draft is not saved')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('textbox', { name: 'Draft' })).toContainText('// x')
})

test('the conditions of a query are kept until it runs, also over a reload', async ({ page }) => {
  page.on('dialog', (dialog) => void dialog.accept())
  await page.goto(`${DATA}/notes`)
  await page.getByRole('button', { name: 'Query', exact: true }).click()
  const form = page.getByRole('form', { name: 'Query' })
  await form.getByLabel('Field').fill('text')
  await form.getByLabel('Value', { exact: true }).fill('b')
  await form.getByLabel('Limit').fill('7')
  await page.getByRole('link', { name: 'Users', exact: true }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Your draft of Query: notes is kept' })).toBeVisible()
  await draftOf(page, 'Query: notes').click()
  await expect(form.getByLabel('Field')).toHaveValue('text')
  await page.reload()
  await expect(form.getByLabel('Value', { exact: true })).toHaveValue('b')
  await expect(form.getByLabel('Limit')).toHaveValue('7')
  await accessible(page)
  await form.getByRole('button', { name: 'Discard' }).click()
  await expect(form.getByLabel('Field')).toHaveValue('')
  await expect(draftOf(page, 'Query: notes')).toHaveCount(0)
  await form.getByLabel('Field').fill('text')
  await form.getByLabel('Value', { exact: true }).fill('b')
  await form.getByRole('button', { name: 'Run' }).click()
  await expect(page.getByRole('row', { name: 'first' })).toHaveCount(0)
  await expect(page.getByRole('row', { name: 'second' })).toBeVisible()
  await expect(draftOf(page, 'Query: notes')).toHaveCount(0)
})

test('a replay that is being typed is kept', async ({ page }) => {
  await fetch(`${origins().firestore}/v1/projects/${PROJECT}/databases/(default)/documents/notes/first`)
  await page.goto(`/requests/${PROJECT}/(default)`)
  await page.getByRole('button', { name: 'notes/first' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('tab', { name: 'Replay' }).click()
  await dialog.getByLabel(/^As user/).fill('eva')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page
    .getByRole('region', { name: 'Unsaved drafts' })
    .getByRole('link', { name: /Replay: / })
    .click()
  await expect(dialog.getByLabel(/^As user/)).toHaveValue('eva')
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await expect(dialog.getByLabel(/^As user/)).toHaveValue('')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('link', { name: /Replay: / })).toHaveCount(0)
})
