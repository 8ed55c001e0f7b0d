import { accessible, expect, fits, origins, paste, test } from './console'

const PROJECT = 'demo-users'
const USERS = `/users/${PROJECT}/(default)`

test('make, find, change, disable, revoke and delete a user', async ({ page, quiet }) => {
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
  await page.getByLabel('Id, e-mail or phone number').fill('nobody@example.org')
  await page.getByRole('button', { name: 'Search' }).click()
  await expect(page.getByText('There is no user nobody@example.org.')).toBeVisible()
  await page.getByLabel('Id, e-mail or phone number').fill('ana@example.org')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('button', { name: 'ana@example.org' }).click()

  await dialog.getByLabel('Name').fill('Ana')
  await dialog.getByLabel('Disabled').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('status').getByText('Saved')).toBeVisible()
  await accessible(page)

  await dialog.getByRole('tab', { name: 'Claims' }).click()
  const editor = dialog.getByRole('textbox', { name: 'Claims' })
  await paste(editor, '{ "sub": 1 }')
  await expect(dialog.getByText('Tokens use this name themselves: sub')).toBeVisible()
  await paste(editor, '{ "role": "admin" }')
  await expect(dialog.getByText('16 of 1,000 characters')).toBeVisible()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await accessible(page)

  await dialog.getByRole('tab', { name: 'Sign-in' }).click()
  await expect(dialog.getByText('password')).toBeVisible()
  await dialog.getByRole('button', { name: 'Revoke sessions' }).click()
  await expect(page.getByText('Sessions revoked')).toBeVisible()

  const lookup = await fetch(`${origins().auth}/identitytoolkit.googleapis.com/v1/projects/${PROJECT}/accounts:lookup`, {
    method: 'POST',
    headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
    body: JSON.stringify({ localId: ['ana'] }),
  })
  expect(await lookup.json()).toMatchObject({ users: [{ displayName: 'Ana', disabled: true, customAttributes: '{"role":"admin"}' }] })

  await dialog.getByRole('button', { name: 'Delete user' }).click()
  await dialog.getByRole('button', { name: 'Really delete?' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('There is no user ana@example.org.')).toBeVisible()
})

test('users go out to a file and come in again', async ({ page }) => {
  const response = await fetch(`${origins().auth}/identitytoolkit.googleapis.com/v1/projects/${PROJECT}/accounts`, {
    method: 'POST',
    headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
    body: JSON.stringify({ localId: 'eva', email: 'eva@example.org', password: 'secret-word' }),
  })
  expect(response.ok).toBe(true)
  await page.goto(USERS)
  await page.getByRole('button', { name: 'Actions' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Export as JSON' }).click()])
  await page.goto(`/users/${PROJECT}-copy/(default)`)
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Import' }).click()
  await page.getByLabel('File').setInputFiles(await file.path())
  await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click()
  await expect(page.getByRole('row', { name: /eva@example.org/ })).toBeVisible()
})
