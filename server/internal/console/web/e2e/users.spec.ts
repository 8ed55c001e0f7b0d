import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accessible, expect, fits, origins, paste, test, toolkit } from './console'

const PROJECT = 'demo-users'
const USERS = `/users/${PROJECT}/(default)`

test('a user is created, found, changed, disabled, signed out and deleted', async ({ page, quiet }) => {
  quiet(/400/)
  await page.goto(USERS)
  await expect(page.getByText('No users yet.')).toBeVisible()
  await page.getByRole('button', { name: 'User', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill('no address')
  await dialog.getByLabel('Password').fill('secret-word')
  await dialog.getByLabel('E-mail').fill('ana@example.org')
  await dialog.getByLabel('User id').fill('ana')
  await accessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('row', { name: /ana@example.org/ })).toBeVisible()
  await accessible(page)
  await fits(page)
  const search = page.getByRole('searchbox', { name: /^Part of a name/ })
  await search.fill('nobody@example.org')
  await expect(page.getByText('No user matches “nobody@example.org”.')).toBeVisible()
  await search.fill('ana@example.org')
  await page.getByRole('button', { name: 'ana@example.org' }).click()

  await dialog.getByLabel('Name').fill('Ana')
  await dialog.getByLabel('Disabled').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('status').getByText('Saved')).toBeVisible()
  await accessible(page)

  await dialog.getByRole('tab', { name: 'Claims' }).click()
  const editor = dialog.getByRole('textbox', { name: 'Claims' })
  await paste(editor, '{ "sub": 1 }')
  await expect(dialog.getByText('This name is reserved for tokens: sub')).toBeVisible()
  await paste(editor, '{ "role": "admin" }')
  await expect(dialog.getByText('16 of 1,000 characters')).toBeVisible()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await accessible(page)

  await dialog.getByRole('tab', { name: 'Sign-in' }).click()
  await expect(dialog.getByText('password')).toBeVisible()
  await dialog.getByRole('button', { name: 'Revoke sessions' }).click()
  await expect(page.getByText('Sessions revoked')).toBeVisible()

  const lookup = await toolkit(`v1/projects/${PROJECT}/accounts:lookup`, { localId: ['ana'] })
  expect(lookup).toMatchObject({ users: [{ displayName: 'Ana', disabled: true, customAttributes: '{"role":"admin"}' }] })

  await dialog.getByRole('button', { name: 'Delete user' }).click()
  await dialog.getByRole('button', { name: 'Confirm: delete' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('No user matches “ana@example.org”.')).toBeVisible()
})

test('exported users can be imported', async ({ page }) => {
  await toolkit(`v1/projects/${PROJECT}/accounts`, { localId: 'eva', email: 'eva@example.org', password: 'secret-word' })
  await page.goto(USERS)
  await page.getByRole('button', { name: 'Actions' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Export as JSON' }).click()])
  await expect(page.getByText(/\d+ users? exported/)).toBeVisible()
  await page.goto(`/users/${PROJECT}-copy/(default)`)
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog')
  for (const other of ['{"a": {"n": 1}}', 'localId,email\n']) {
    await page.getByLabel('File').setInputFiles({ name: 'other.json', mimeType: 'application/json', buffer: Buffer.from(other) })
    await dialog.getByRole('button', { name: 'Import' }).click()
    await expect(dialog.getByRole('alert')).toContainText('This is not a JSON file of users.')
  }
  await page.getByLabel('File').setInputFiles(await file.path())
  await dialog.getByRole('button', { name: 'Import' }).click()
  await expect(page.getByRole('row', { name: /eva@example.org/ })).toBeVisible()
})

test('users are ordered by a column, over pages', async ({ page }) => {
  const project = 'demo-ordered'
  const users = Array.from({ length: 120 }, (_, i) => ({
    localId: `id-${String(i).padStart(3, '0')}`,
    email: `u${String(999 - i)}@example.org`,
    disabled: i === 119,
  }))
  for (const user of users) await toolkit(`v1/projects/${project}/accounts`, user)
  await page.goto(`/users/${project}/(default)`)
  const first = page.locator('tbody tr').first()
  await expect(first).toContainText('id-000')
  const head = page.getByRole('columnheader', { name: /^Account/ })
  await head.getByRole('button').click()
  await expect(first).toContainText('u880@example.org')
  await expect(head).toHaveAttribute('aria-sort', 'ascending')
  // The state is in view without scrolling.
  await expect(first.getByText('Disabled')).toBeInViewport({ ratio: 1 })
  await page.getByRole('button', { name: 'Load more' }).click()
  await expect(page.locator('tbody tr')).toHaveCount(120)
  await expect(page.locator('tbody tr').last()).toContainText('u999@example.org')
  await head.getByRole('button').click()
  await expect(first).toContainText('u999@example.org')
  await page.reload()
  await expect(first).toContainText('u999@example.org')
  await accessible(page)
  await fits(page)
})

test('users are found by any part of their name, address, number or id while it is typed', async ({ page }) => {
  const users = Array.from({ length: 130 }, (_, i) => ({
    localId: `id-${String(i).padStart(3, '0')}`,
    email: `member${i}@example.org`,
    displayName: i === 77 ? 'María Ñandú' : `Member ${i}`,
    ...(i === 78 && { phoneNumber: '+18095550178' }),
  }))
  await toolkit('v1/projects/demo-search/accounts:batchCreate', { users })
  await page.goto('/users/demo-search/(default)')
  const rows = page.getByRole('row', { name: /@example.org/ })
  await expect(rows).toHaveCount(100)
  await page.getByRole('button', { name: 'Load more' }).click()
  await expect(rows).toHaveCount(130)
  const search = page.getByRole('searchbox', { name: /^Part of a name/ })
  await search.pressSequentially('ÑANDÚ')
  await expect(rows).toHaveCount(1)
  await expect(search).toHaveValue('ÑANDÚ')
  await expect(page).toHaveURL(/find=/)
  await search.fill('809 555-0178')
  await expect(page.getByRole('row', { name: /member78@/ })).toBeVisible()
  await search.fill('ember')
  await expect(rows).toHaveCount(100)
  await page.getByRole('button', { name: 'Load more' }).click()
  await expect(rows).toHaveCount(130)
  await page.reload()
  await expect(search).toHaveValue('ember')
  await search.fill('')
  await expect(page).not.toHaveURL(/find=/)
})

test('a tenant has separate users', async ({ page }) => {
  const { name } = await toolkit<{ name: string }>('v2/projects/demo-tenants/tenants', { displayName: 'School', allowPasswordSignup: true })
  const id = name.split('/').at(-1)
  await toolkit('v1/projects/demo-tenants/accounts', { localId: 'outside', email: 'outside@example.org' })
  await toolkit(`v1/projects/demo-tenants/tenants/${id}/accounts`, { localId: 'inside', email: 'inside@example.org' })
  await page.goto('/users/demo-tenants/(default)')
  await expect(page.getByRole('row', { name: /outside@/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /inside@/ })).toHaveCount(0)
  await page.getByRole('combobox', { name: 'Tenant' }).selectOption(id ?? '')
  await expect(page.getByRole('row', { name: /inside@/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /outside@/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'User', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill('pupil@example.org')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('row', { name: /pupil@/ })).toBeVisible()
  await accessible(page)
  await fits(page)
  const { userInfo } = await toolkit<{ userInfo: { tenantId: string }[] }>(`v1/projects/demo-tenants/tenants/${id}/accounts:query`, {})
  expect(userInfo.map((one) => one.tenantId)).toEqual([id, id])
})

test('a second factor and a provider are removed from a user', async ({ page }) => {
  await toolkit('v1/projects/demo-factors/accounts:batchCreate', {
    users: [
      {
        localId: 'two',
        email: 'two@example.org',
        emailVerified: true,
        mfaInfo: [
          { mfaEnrollmentId: 'f1', phoneInfo: '+18095550001', displayName: 'first' },
          { mfaEnrollmentId: 'f2', phoneInfo: '+18095550002', displayName: 'second' },
        ],
        providerUserInfo: [{ providerId: 'google.com', rawId: 'g-1', email: 'two@gmail.example' }],
      },
    ],
  })
  await page.goto('/users/demo-factors/(default)?user=two')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('tab', { name: 'Sign-in' }).click()
  await expect(dialog.getByText('+18095550001')).toBeVisible()
  await accessible(page)
  await dialog.getByRole('listitem').filter({ hasText: '+18095550001' }).getByRole('button').click()
  await expect(dialog.getByText('+18095550001')).toHaveCount(0)
  await expect(dialog.getByText('+18095550002')).toBeVisible()
  await dialog.getByRole('listitem').filter({ hasText: 'google.com' }).getByRole('button', { name: 'Unlink' }).click()
  await expect(dialog.getByText('google.com')).toHaveCount(0)
  type Found = { users: { mfaInfo?: { mfaEnrollmentId: string }[]; providerUserInfo?: { providerId: string }[] }[] }
  const { users } = await toolkit<Found>('v1/projects/demo-factors/accounts:lookup', { localId: ['two'] })
  expect(users[0]?.mfaInfo?.map((one) => one.mfaEnrollmentId)).toEqual(['f2'])
  expect(users[0]?.providerUserInfo?.map((one) => one.providerId) ?? []).not.toContain('google.com')
})

test("signing in as a user copies a token that the rules accept as the user's", async ({ page }) => {
  await toolkit('v1/projects/demo-console/accounts', { localId: 'rosa', email: 'rosa@example.org' })
  await page.goto('/users/demo-console/(default)?user=rosa')
  await page.getByRole('dialog').getByRole('button', { name: 'Copy an ID token' }).click()
  await expect(page.getByText('ID token copied')).toBeVisible()
  const token = await page.evaluate(() => navigator.clipboard.readText())
  const read = await fetch(`${origins().firestore}/v1/projects/demo-console/databases/(default)/documents/looked/x`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(read.status).toBe(403)
  await page.goto('/requests/demo-console/(default)?user=rosa')
  await expect(page.getByRole('row', { name: /deny get looked\/x rosa/ })).toBeVisible()
})

test('the site is opened as a user although another was signed in', async ({ page, quiet }) => {
  quiet(/left the origin: http:\/\/127\.0\.0\.1|404/)
  for (const [localId, role] of [
    ['pia', 'teacher'],
    ['leo', 'pupil'],
  ]) {
    const body = { localId, email: `${localId}@example.org`, password: 'secret-word' }
    await toolkit('v1/projects/demo-console/accounts', body)
    await toolkit('v1/projects/demo-console/accounts:update', { localId, customAttributes: JSON.stringify({ role }) })
    await page.goto(`/users/demo-console/(default)?user=${localId}`)
    const button = page.getByRole('dialog').getByRole('button', { name: 'Open the site as this user' })
    const [site] = await Promise.all([page.context().waitForEvent('page'), button.click()])
    await expect(site.getByText(`${localId} ${localId}@example.org ${role}`)).toBeVisible()
    expect(site.url()).toBe(`${origins().site}/`)
    await site.reload()
    await expect(site.getByText(`${localId} ${localId}@example.org ${role}`)).toBeVisible()
    await site.close()
  }
  const used = await fetch(`${origins().site}/__/firebase/clave/sign-in`, { method: 'POST', body: '{"code": ""}' })
  expect(used.status).toBe(404)
})

test('the site is opened as a user with an API key that its files do not show', async ({ page, quiet }) => {
  quiet(/left the origin: http:\/\/127\.0\.0\.1|404/)
  const script = join(origins().folder, 'public/site.js')
  const before = await readFile(script, 'utf8')
  await writeFile(script, before.replace("'the-site-s-key'", "['computed', 'key'].join('-')"))
  await toolkit('v1/projects/demo-console/accounts', { localId: 'eli', email: 'eli@example.org', password: 'secret-word' })
  const openSite = async () => {
    await page.goto('/users/demo-console/(default)?user=eli')
    const button = page.getByRole('dialog').getByRole('button', { name: 'Open the site as this user' })
    const [site] = await Promise.all([page.context().waitForEvent('page'), button.click()])
    return site
  }
  const first = await openSite()
  await first.getByLabel('API key').fill('computed-key')
  await accessible(first)
  await first.getByRole('button', { name: 'Open the site' }).click()
  await expect(first.getByText('eli eli@example.org')).toBeVisible()
  const second = await openSite()
  await expect(second.getByLabel('API key')).toHaveValue('computed-key')
  await second.getByRole('button', { name: 'Open the site' }).click()
  await expect(second.getByText('eli eli@example.org')).toBeVisible()
  await writeFile(script, before)
})
