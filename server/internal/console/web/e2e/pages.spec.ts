import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accessible, expect, fits, I, origins, paste, S, seed, stored, test } from './console'

const PROJECT = 'demo-console'
const at = (page: string) => `/${page}/${PROJECT}/(default)`

/** An unsigned token of a user. */
function unsigned(uid: string): string {
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
  return `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`
}

/** Reads a document without a token, or with an unsigned token of a user, and returns the status. */
async function read(path: string, uid?: string): Promise<number> {
  const headers: Record<string, string> = uid ? { authorization: `Bearer ${unsigned(uid)}` } : {}
  return (await fetch(`${origins().firestore}/v1/projects/${PROJECT}/databases/(default)/documents/${path}`, { headers })).status
}

test.beforeAll(async () => {
  await seed(PROJECT, { 'notes/a': { open: { booleanValue: true }, n: I(1) }, 'notes/b': { open: { booleanValue: false }, n: I(2) } })
})

test('versions of a document are listed, compared and restored', async ({ page }) => {
  await seed(PROJECT, { 'notes/versions': { text: S('first') } })
  await seed(PROJECT, { 'notes/versions': { text: S('second') } })
  await page.goto(`${at('data')}/notes/versions`)
  await page.getByRole('tab', { name: 'History' }).click()
  const panel = page.getByRole('region', { name: 'notes/versions' })
  await expect(panel.getByText('created', { exact: true })).toBeVisible()
  await panel.getByRole('listitem').first().getByRole('button').first().click()
  await expect(panel.getByRole('region', { name: 'Difference' })).toContainText('+   "text": "second"')
  await accessible(page)
  await fits(page)
  await panel.getByRole('button', { name: 'Restore' }).last().click()
  await expect(page.getByText('Restored')).toBeVisible()
  await page.getByRole('tab', { name: 'Fields' }).click()
  await expect(page.getByLabel('Value of text')).toHaveValue('first')
})

test('rules are checked while typed, compared, and released', async ({ page }) => {
  await page.goto(at('rules'))
  const editor = page.getByRole('textbox', { name: 'Draft' })
  await expect(editor).toContainText('match /notes/{id}')
  await accessible(page)
  await fits(page)
  const source = (await editor.innerText()).replaceAll(/\n\n+/g, '\n')
  const issues = page.getByRole('list', { name: 'Errors and warnings' })
  await paste(editor, source.replace('allow read, write', 'allow raed, write'))
  await expect(issues).toContainText('Invalid method name: raed.')
  await paste(editor, source.replace('allow read, write: if true', 'allow read, write: if ('))
  await expect(issues).not.toContainText('raed')
  await expect(issues.getByRole('listitem').first()).toContainText(/Line \d+, column \d+/)
  await expect(page.getByRole('button', { name: 'Put in force' })).toBeDisabled()
  await paste(editor, `${source}\n// changed\n`)
  await expect(issues.getByRole('listitem')).toHaveCount(0)
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

test('requests are shown when they are decided, with the value of each expression, and are evaluated again', async ({ page }) => {
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
  await expect(dialog.getByRole('status')).toContainText('L5: resource.data.open == true is false, resource.data.open = false')
  // The deciding line is in view.
  await expect(dialog.locator('.decides-deny')).toBeInViewport()
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

test('requests of the selected database are shown, or those of all projects if selected', async ({ page }, { retry, repeatEachIndex }) => {
  const other = `demo-requests-${retry}-${repeatEachIndex}`
  const of = (project: string) => `${origins().firestore}/v1/projects/${project}/databases/(default)/documents/notes/b`
  expect((await fetch(of(other))).status).toBe(403)
  await page.goto(`/requests/${other}/second`)
  const table = page.getByRole('region', { name: 'Requests' })
  await expect(table).toHaveCount(0)
  await page.getByRole('button', { name: 'Show the requests of all projects' }).click()
  await expect(table.getByRole('row', { name: new RegExp(`notes/b anonymous .*${other}/`) })).toBeVisible()
  // Requests of servers are recorded only while a page follows.
  await expect(async () => {
    expect((await fetch(of(other), { headers: { authorization: 'Bearer owner' } })).status).toBe(404)
    await expect(table.getByRole('row', { name: new RegExp(`notes/b server .*${other}/`) }).first()).toBeVisible({ timeout: 2000 })
  }).toPass()
  await fits(page)
  await page.getByLabel('Database', { exact: true }).last().selectOption('This database')
  await expect(page).not.toHaveURL(/of=/)
  await page.goto(`/requests/${other}/(default)?user=anonymous`)
  await expect(table.getByRole('row', { name: 'error get notes/b anonymous' })).toBeVisible()
  await expect(table.getByRole('row', { name: 'server' })).toHaveCount(0)
  expect((await fetch(of('demo-another'))).status).toBe(403)
  expect((await fetch(`${of(other)}2`)).status).toBe(403)
  await expect(table.getByRole('row', { name: 'notes/b2' })).toBeVisible()
  await expect(table.getByRole('row')).toHaveCount(3)
})

test('a request is evaluated again with other data, and shows the documents that the rules read', async ({ page }) => {
  const refused = await fetch(`${origins().firestore}/v1/projects/${PROJECT}/databases/(default)/documents/notes?documentId=made`, {
    method: 'POST',
    headers: { authorization: `Bearer ${unsigned('ana')}` },
    body: JSON.stringify({ fields: { title: S('') } }),
  })
  expect(refused.status).toBe(403)
  expect(await read('looked/x', 'ana')).toBe(403)
  await page.goto(at('requests'))
  await page
    .getByRole('row', { name: /deny get looked\/x ana/ })
    .getByRole('button')
    .click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('region', { name: 'Documents that the rules read' })).toContainText('members/ana')
  await expect(dialog.getByText(/\d+ evaluations, 1 documents read/)).toBeVisible()
  await page.keyboard.press('Escape')
  await page
    .getByRole('row', { name: /deny create notes\/made ana/ })
    .getByRole('button')
    .click()
  await expect(dialog.locator('.code-host .decides-deny')).toContainText('allow create')
  await dialog.getByRole('tab', { name: 'Replay' }).click()
  await dialog.getByLabel('With this document as the result').fill('{ "title": "Merengue" }')
  await dialog.getByRole('button', { name: 'Decide' }).click()
  await expect(dialog.getByRole('status')).toContainText('allow')
  await accessible(page)
})

test('a query becomes a test case with the same decision', async ({ page }) => {
  const asked = await fetch(`${origins().firestore}/v1/projects/${PROJECT}/databases/(default)/documents:runQuery`, {
    method: 'POST',
    headers: { authorization: `Bearer ${unsigned('quest')}` },
    body: JSON.stringify({
      structuredQuery: {
        from: [{ collectionId: 'notes' }],
        where: { fieldFilter: { field: { fieldPath: 'open' }, op: 'EQUAL', value: { booleanValue: true } } },
      },
    }),
  })
  expect(asked.status).toBe(200)
  await page.goto(`${at('requests')}?user=quest`)
  await page
    .getByRole('row', { name: /allow list notes/ })
    .getByRole('button')
    .click()
  const button = page.getByRole('dialog').getByRole('button', { name: 'Save as a test case' })
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()])
  const path = await file.path()
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
    cases: [{ op: { method: 'list', query: { where: { fieldFilter: { op: 'EQUAL' } } } }, expect: 'allow', auth: { uid: 'quest' } }],
  })
  const folder = await mkdtemp(join(tmpdir(), 'cases-'))
  await writeFile(join(folder, 'query.json'), await readFile(path))
  await page.goto(at('rules'))
  await expect(page.getByRole('textbox', { name: 'Draft' })).toContainText('match /notes/{id}')
  await page.getByLabel('Run a folder of cases…').setInputFiles(folder)
  await expect(page.getByText('1 of 1 cases passed')).toBeVisible()
  await rm(folder, { recursive: true })
})

test('a draft is tested with the cases of a folder and with recorded requests', async ({ page }) => {
  expect(await read('notes/b', 'eve')).toBe(403)
  await page.goto(at('rules'))
  await expect(page.getByRole('textbox', { name: 'Draft' })).toContainText('match /notes/{id}')
  const folder = await mkdtemp(join(tmpdir(), 'cases-'))
  const one = (id: string, expected: string) => ({ id, auth: null, docs: {}, op: { method: 'get', path: 'open/x' }, expect: expected })
  await writeFile(join(folder, 'a.json'), JSON.stringify({ cases: [one('good', 'allow')] }))
  await writeFile(join(folder, 'b.json'), JSON.stringify([one('wrong', 'deny')]))
  await page.getByLabel('Run a folder of cases…').setInputFiles(folder)
  await expect(page.getByText('1 of 2 cases passed')).toBeVisible()
  await rm(folder, { recursive: true })
  const editor = page.getByRole('textbox', { name: 'Draft' })
  const draft = "rules_version = '2';\nservice cloud.firestore { match /databases/{d}/documents { match /{any=**} { allow read; } } }\n"
  await paste(editor, draft)
  await page.getByLabel('How many requests').selectOption('50')
  await page.getByRole('button', { name: 'Try on recorded requests' }).click()
  await expect(page.getByText(/decided as before, [1-9]\d* differently/)).toBeVisible()
  await accessible(page)
})

test("the server's figures and log are shown", async ({ page }) => {
  await page.goto(at('now'))
  await expect(page.getByRole('figure', { name: /Memory/ })).toContainText(/MiB/)
  for (const name of ['Commits', 'Documents read', 'Listeners', 'Latency', 'Denials', 'Sign-ins', 'Disk', 'Write-ahead log'])
    await expect(page.getByRole('figure', { name })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Billed reads' }).first()).toContainText('What production would bill since')
  await expect(page.getByRole('region', { name: 'Slow queries' }).first()).toContainText('100 ms')
  await expect(page.getByRole('region', { name: 'Log' }).first()).toBeVisible()
  await accessible(page)
  await fits(page)
  // A phone shows two charts in each row.
  await page.setViewportSize({ width: 360, height: 740 })
  const tops = await page.getByRole('figure').evaluateAll((figures) => figures.slice(0, 4).map((one) => one.getBoundingClientRect().top))
  expect(tops[1]).toBe(tops[0])
  expect(tops[3]).toBe(tops[2])
  expect(tops[2]).toBeGreaterThan(tops[0] ?? 0)
})

test('e-mails and text messages that are not sent are shown', async ({ page }) => {
  const auth = `${origins().auth}/identitytoolkit.googleapis.com/v1/accounts`
  const post = (method: string, body: object) =>
    fetch(`${auth}:${method}?key=any`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  await post('signUp', { email: 'mail@example.org', password: 'secret-word' })
  expect((await post('sendVerificationCode', { phoneNumber: '+18095550111' })).ok).toBe(true)
  await page.goto(at('codes'))
  expect((await post('sendOobCode', { requestType: 'PASSWORD_RESET', email: 'mail@example.org' })).ok).toBe(true)
  const sms = page.getByRole('listitem').filter({ hasText: '+18095550111' })
  await expect(sms).toContainText(/\d{6}/)
  await sms.getByRole('button', { name: 'Copy' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^\d{6}$/)
  const mail = page.getByRole('article', { name: /^Reset your password for/ })
  await expect(mail).toContainText('To mail@example.org')
  await expect(mail.getByRole('link')).toHaveAttribute('href', /mode=resetPassword/)
  await expect(page.getByRole('link', { name: 'Open the link' })).toHaveAttribute('href', /mode=resetPassword/)
  await accessible(page)
  await fits(page)
})

test('an index that queries needed is added to the file by one click', async ({ page }) => {
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
  const row = page.getByRole('row', { name: /plays a ↑, b ↓/ })
  await expect(row).toBeVisible()
  await accessible(page)
  await fits(page)
  await row.getByRole('button', { name: 'Add to the file' }).click()
  await expect(page.getByText(/^Added to .*firestore.indexes.json/)).toBeVisible()
  expect(JSON.parse(await readFile(join(origins().folder, 'firestore.indexes.json'), 'utf8'))).toMatchObject({
    indexes: [{ collectionGroup: 'plays', fields: [{ fieldPath: 'a' }, { fieldPath: 'b', order: 'DESCENDING' }] }],
  })
})

test('snapshots restore documents', async ({ page }) => {
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
  await expect(page.getByText('Done', { exact: true })).toBeVisible()
  expect(await read('notes/later')).toBe(403)
  await page.goto(`${at('data')}/notes/later`)
  await expect(page.getByText('This document does not exist.')).toBeVisible()
})

test('the clock is set ahead, which every page shows, and reset', async ({ page }) => {
  await page.goto(at('lab'))
  const clock = page.getByRole('region', { name: 'Clock' })
  await expect(clock.getByRole('status')).toContainText('same as the machine’s')
  await clock.getByRole('button', { name: '+1 hour' }).click()
  await clock.getByRole('button', { name: '+1 day' }).click()
  await expect(clock.getByRole('status')).toContainText('1 day 1 hour ahead')
  const banner = page.getByRole('status').filter({ hasText: 'The server’s clock is 1 day 1 hour ahead.' })
  await expect(banner).toBeVisible()
  await accessible(page)
  await fits(page)
  await seed(PROJECT, { 'notes/tomorrow': { n: I(1) } })
  const document = (await stored(PROJECT, 'notes/tomorrow')) as { createTime?: string } | null
  expect(new Date(document?.createTime ?? 0).getTime() - Date.now()).toBeGreaterThan(24 * 3600 * 1000)
  await page.goto(at('users'))
  await expect(banner).toBeVisible()
  await banner.getByRole('link', { name: 'Lab' }).click()
  await clock.getByLabel('Minutes ahead').fill('2')
  await clock.getByRole('button', { name: 'Set the clock' }).click()
  await expect(clock.getByRole('status')).toContainText('2 minutes ahead')
  await clock.getByRole('button', { name: 'Reset to the machine’s time' }).click()
  await expect(clock.getByRole('status')).toContainText('same as the machine’s')
  await expect(page.getByText(/The server’s clock is/)).toHaveCount(0)
})

test('the clock is advanced further before the page shows where it is', async ({ page }) => {
  await page.goto(at('lab'))
  const clock = page.getByRole('region', { name: 'Clock' })
  await expect(clock.getByRole('status')).toContainText('same as the machine’s')
  const loads: (() => Promise<void>)[] = []
  await page.route('**/api/lab', (route) => void loads.push(() => route.continue()))
  const advanced = () => page.waitForResponse((response) => response.url().includes('/api/lab/clock'))
  for (const step of ['+1 hour', '+1 day']) {
    const done = advanced()
    await clock.getByRole('button', { name: step }).click()
    await done
  }
  await expect(clock.getByRole('status')).toContainText('same as the machine’s')
  await page.unroute('**/api/lab')
  for (const load of loads) await load().catch(() => undefined) // which the page has aborted
  await expect(clock.getByRole('status')).toContainText('1 day 1 hour ahead')
  await clock.getByRole('button', { name: 'Reset to the machine’s time' }).click()
  await expect(clock.getByRole('status')).toContainText('same as the machine’s')
})

test("calls of clients fail as set in the lab, and the console's do not", async ({ page }) => {
  const write = async () => {
    const url = `${origins().firestore}/v1/projects/${PROJECT}/databases/(default)/documents/open/faulty`
    return (await fetch(url, { method: 'PATCH', body: JSON.stringify({ fields: {} }) })).status
  }
  await page.goto(at('lab'))
  const faults = page.getByRole('region', { name: 'Latency and faults' })
  await faults.getByLabel('Calls').selectOption('Commits')
  await faults.getByLabel('Share, %').fill('100')
  await faults.getByLabel('Then answer').selectOption('as usual')
  await expect(faults.getByRole('button', { name: 'Start' })).toBeDisabled()
  await faults.getByLabel('Then answer').selectOption('ABORTED')
  await faults.getByLabel('Delay, ms').fill('20')
  await faults.getByRole('button', { name: 'Start' }).click()
  await expect(page.getByText('Faults are injected: 100 % of “Commits” are delayed by 20 ms and answer ABORTED.')).toBeVisible()
  expect(await write()).toBe(409)
  await accessible(page)
  await fits(page)
  await page.reload()
  await expect(faults.getByRole('status')).toContainText('1 call affected.')
  await page.goto(`${at('data')}/notes/a`)
  await page.getByLabel('Value of n').fill('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  await page.goto(at('lab'))
  await faults.getByRole('button', { name: 'Stop' }).click()
  await expect(page.getByText(/Faults are injected/)).toHaveCount(0)
  expect(await write()).toBe(200)
})

test('a seed copies all documents of a database to another', async ({ page }) => {
  await seed('demo-seed', {
    'a/one': { n: I('9007199254740993') },
    'a/one/below/two': { half: { doubleValue: 2 } },
    'ghosts/g/below/three': {},
  })
  await page.goto('/lab/demo-seed/(default)')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save all documents as a seed' }).click(),
  ])
  await page.goto('/lab/demo-seeded/(default)')
  await page.getByLabel('Load a seed…').setInputFiles(await file.path())
  await expect(page.getByText('3 documents imported')).toBeVisible()
  for (const path of ['a/one', 'a/one/below/two', 'ghosts/g/below/three'])
    expect((await stored('demo-seeded', path))?.fields).toEqual((await stored('demo-seed', path))?.fields)
})

test('the audit log lists the changes made in the console', async ({ page }) => {
  await page.goto(`${at('data')}/notes/a`)
  await page.getByLabel('Value of n').fill('77')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Unsaved changes')).toBeHidden()
  await page.goto(at('audit'))
  await expect(page.getByRole('row', { name: /notes\/a.*OK/ }).first()).toBeVisible()
  await accessible(page)
  await fits(page)
})
