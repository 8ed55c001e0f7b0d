import { accessible, expect, fits, I, origins, S, seed, test } from './console'

const PROJECT = 'demo-console'
const at = (page: string) => `/${page}/${PROJECT}/(default)`

/** Reads a document as a stranger, or as a user by an unsigned token, and returns the status. */
async function read(path: string, uid?: string): Promise<number> {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = {
    sub: uid,
    user_id: uid,
    aud: PROJECT,
    iss: `https://securetoken.google.com/${PROJECT}`,
    iat: 1,
    exp: 4_000_000_000,
    firebase: { sign_in_provider: 'custom', identities: {} },
  }
  const headers: Record<string, string> = uid ? { authorization: `Bearer ${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.` } : {}
  return (await fetch(`${origins().firestore}/v1/projects/${PROJECT}/databases/(default)/documents/${path}`, { headers })).status
}

test.beforeAll(async () => {
  await seed(PROJECT, { 'notes/a': { open: { booleanValue: true }, n: I(1) }, 'notes/b': { open: { booleanValue: false }, n: I(2) } })
})

test('versions of a document, their difference, and a way back', async ({ page }) => {
  await seed(PROJECT, { 'notes/versions': { text: S('first') } })
  await seed(PROJECT, { 'notes/versions': { text: S('second') } })
  await page.goto(`${at('data')}/notes/versions`)
  await page.getByRole('tab', { name: 'History' }).click()
  const panel = page.getByRole('region', { name: 'notes/versions' })
  await expect(panel.getByText('created')).toBeVisible()
  await panel.getByRole('listitem').first().getByRole('button').first().click()
  await expect(panel.getByRole('region', { name: 'Difference' })).toContainText('+   "text": "second"')
  await accessible(page)
  await fits(page)
  await panel.getByRole('button', { name: 'Bring back' }).last().click()
  await expect(page.getByText('Brought back')).toBeVisible()
  await page.getByRole('tab', { name: 'Fields' }).click()
  await expect(page.getByLabel('Value of text')).toHaveValue('first')
})

test('rules are checked as they are typed, compared, and put in force', async ({ page }) => {
  await page.goto(at('rules'))
  const editor = page.getByRole('textbox', { name: 'Draft' })
  await expect(editor).toContainText('match /notes/{id}')
  await accessible(page)
  await fits(page)
  const source = (await editor.innerText()).replaceAll(/\n\n+/g, '\n')
  await editor.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(source.replace('allow read, write', 'allow raed, write'))
  await expect(page.getByRole('list', { name: 'Errors and warnings' })).toContainText('raed')
  await expect(page.getByRole('button', { name: 'Put in force' })).toBeDisabled()
  await editor.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(`${source}\n// changed\n`)
  await expect(page.getByRole('list', { name: 'Errors and warnings' })).not.toContainText('raed')
  await page.getByRole('tab', { name: 'Difference' }).click()
  await expect(page.getByRole('region', { name: 'Difference' })).toContainText('// changed')
  await accessible(page)
  await page.getByRole('button', { name: 'Put in force' }).click()
  await expect(page.getByText('The rules are in force')).toBeVisible()
  await read('notes/a')
  await page.getByRole('tab', { name: 'Coverage' }).click()
  const coverage = page.getByRole('textbox', { name: 'Coverage' })
  await expect(coverage.locator('.cov-true').first()).toContainText('resource.data.open == true')
  await accessible(page)
})

test('requests appear as they are decided, with the value of each expression, and are decided anew', async ({ page }) => {
  await page.goto(at('requests'))
  await expect(page.getByRole('heading', { name: 'Requests' })).toBeVisible()
  expect(await read('notes/b', 'eve')).toBe(403)
  const row = page.getByRole('row', { name: /deny get notes\/b eve/ })
  await expect(row).toBeVisible()
  await accessible(page)
  await fits(page)
  await row.getByRole('button').click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('region', { name: 'Value of each expression' })).toContainText('resource.data.open == true')
  await accessible(page)
  await dialog.getByRole('tab', { name: 'Request' }).click()
  await expect(dialog).toContainText('"uid": "eve"')
  await dialog.getByRole('tab', { name: 'Replay' }).click()
  await dialog.getByLabel('As user').fill('')
  await dialog.getByRole('button', { name: 'Decide' }).click()
  await expect(dialog.getByRole('status')).toContainText('deny')
  const [file] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Save as a test case' }).click()])
  expect(file.suggestedFilename()).toMatch(/^case-.*\.json$/)
  await page.keyboard.press('Escape')
  await page.getByLabel('Outcome').selectOption('allow')
  await expect(row).toBeHidden()
  await expect(page).toHaveURL(/outcome=allow/)
})

test('figures and log of the server', async ({ page }) => {
  await page.goto(at('now'))
  await expect(page.getByRole('figure', { name: /Memory/ })).toContainText(/MiB/)
  await expect(page.getByRole('region', { name: 'Log' }).first()).toBeVisible()
  await accessible(page)
  await fits(page)
})

test('e-mails and messages that are not sent appear', async ({ page }) => {
  const auth = `${origins().auth}/identitytoolkit.googleapis.com/v1/accounts`
  const post = (method: string, body: object) =>
    fetch(`${auth}:${method}?key=any`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  await post('signUp', { email: 'mail@example.org', password: 'secret-word' })
  await page.goto(at('codes'))
  expect((await post('sendOobCode', { requestType: 'PASSWORD_RESET', email: 'mail@example.org' })).ok).toBe(true)
  await expect(page.getByText('Reset the password')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Open the link' })).toHaveAttribute('href', /mode=resetPassword/)
  await accessible(page)
  await fits(page)
})

test('indexes that queries needed can be copied into the file', async ({ page }) => {
  await seed(PROJECT, { 'plays/one': { a: I(1), b: I(2) } })
  await fetch(`${origins().firestore}/v1/projects/${PROJECT}/databases/(default)/documents:runQuery`, {
    method: 'POST',
    headers: { authorization: 'Bearer owner' },
    body: JSON.stringify({
      structuredQuery: {
        from: [{ collectionId: 'plays' }],
        where: { fieldFilter: { field: { fieldPath: 'a' }, op: 'EQUAL', value: I(1) } },
        orderBy: [{ field: { fieldPath: 'b' }, direction: 'DESCENDING' }],
      },
    }),
  })
  await page.goto(at('indexes'))
  await expect(page.getByRole('cell', { name: 'plays' }).first()).toBeVisible()
  await expect(page.getByRole('cell', { name: /a ↑, b ↓/ }).first()).toBeVisible()
  await accessible(page)
  await fits(page)
})

test('snapshots bring documents back', async ({ page }) => {
  await page.goto(at('lab'))
  await expect(page.getByText('No snapshots.')).toBeVisible()
  await page.getByLabel('Name of a snapshot').fill('before the fall')
  await page.getByRole('button', { name: 'Take a snapshot' }).click()
  await expect(page.getByText('before the fall')).toBeVisible()
  await accessible(page)
  await fits(page)
  await seed(PROJECT, { 'notes/later': { n: I(1) } })
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore before the fall' }).click()
  await expect(page.getByText('Done')).toBeVisible()
  expect(await read('notes/later')).toBe(403)
  await page.goto(`${at('data')}/notes/later`)
  await expect(page.getByText('There is no such document.')).toBeVisible()
})

test('the audit log names what was changed here', async ({ page }) => {
  await page.goto(`${at('data')}/notes/a`)
  await page.getByLabel('Value of n').fill('77')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  await page.goto(at('audit'))
  await expect(page.getByRole('row', { name: /notes\/a.*OK/ }).first()).toBeVisible()
  await accessible(page)
  await fits(page)
})
