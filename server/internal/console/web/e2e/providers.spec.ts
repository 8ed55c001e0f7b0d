import type { Page } from '@playwright/test'
import { accessible, expect, fits, origins, test } from './console'
import { link } from './server'

const PROJECT = 'console-served'
const SECRET = 'the-secret-of-the-client'
/** The certificate of a SAML provider. */
const CERTIFICATE = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBczCCARmgAwIBAgIUGBlmaqFcSWpAimNO1D8bYzro9V0wCgYIKoZIzj0EAwIw',
  'DjEMMAoGA1UEAwwDaWRwMCAXDTI2MTEyNzA3NTMzOFoYDzIxMjYxMTAzMDc1MzM4',
  'WjAOMQwwCgYDVQQDDANpZHAwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQd1M+5',
  'uh11g1xstjiEXm5DruQoUE4/soiOzYrGWIYYn1HnuelWMfZxaAtN8wlBGfEHHksy',
  'EoV9/KPENuEW0apSo1MwUTAdBgNVHQ4EFgQUzE0/Sp8zeCWBTLNDIeeRLxH9QVsw',
  'HwYDVR0jBBgwFoAUzE0/Sp8zeCWBTLNDIeeRLxH9QVswDwYDVR0TAQH/BAUwAwEB',
  '/zAKBggqhkjOPQQDAgNIADBFAiA2j/TfpM5q0l9knjw2Fc7cI3Ldn52OuKQYlXaP',
  'RDUc5AIhAObbQdQtqydit/TCIsZRLmuoAipuB22wjw/f/lvzoLQy',
  '-----END CERTIFICATE-----',
].join('\n')
const at = (page: string) => `${origins().served}/${page}/${PROJECT}/(default)`
const configs = () => `${origins().served}/identitytoolkit.googleapis.com/v2/projects/${PROJECT}/defaultSupportedIdpConfigs`

/** Sends a request with the session of the page, and returns the status. */
const request = (page: Page, method: string, url: string, body: string | null = null) =>
  page.evaluate(
    async ([verb, target, content]) => {
      const { csrf } = await (await fetch('/api/session')).json()
      const headers = { 'content-type': 'application/json', 'x-clave-csrf': csrf }
      return (await fetch(target, { method: verb, headers, body: content })).status
    },
    [method, url, body] as const,
  )

/** Opens a writing session without providers, also after a test that failed. */
async function open(page: Page, quiet: (text: RegExp) => void): Promise<void> {
  quiet(/40[04]/)
  await page.goto(await link(true))
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible()
  for (const path of [
    'defaultSupportedIdpConfigs/google.com',
    'defaultSupportedIdpConfigs/oauth.choir',
    'oauthIdpConfigs/oidc.choir',
    'inboundSamlConfigs/saml.choir',
  ])
    await request(page, 'DELETE', configs().replace('defaultSupportedIdpConfigs', path))
}

test('a provider is added, changed and removed, and its secret is never shown', async ({ page, quiet }) => {
  const answers: string[] = []
  page.on('response', (response) => {
    if (response.url().includes('IdpConfigs'))
      void response.text().then(
        (text) => answers.push(text),
        () => {},
      )
  })
  await open(page, quiet)
  await page.goto(at('auth'))
  await page.getByRole('button', { name: 'Add a provider' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Client id', { exact: true }).fill('123.apps.example.org')
  await dialog.getByLabel('Client secret').fill(SECRET)
  await dialog.getByLabel('Client ids of apps').fill('android, ios')
  const entered = dialog.getByRole('region', { name: 'To be entered at the provider' })
  await expect(entered).toContainText(`${origins().served.replace(/:\d+$/, '')}:`)
  await expect(entered).toContainText('/__/auth/handler')
  await expect(entered).toContainText('Google Cloud console')
  await accessible(page)
  await fits(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  const row = page.getByRole('row').filter({ hasText: 'google.com' })
  await expect(row).toContainText('123.apps.example.org')
  await expect(row.getByRole('cell').last()).toHaveText('on')

  // The secret is not in the form again. An empty field keeps it; the other fields are changed alone.
  await row.getByRole('button', { name: 'google.com' }).click()
  await expect(dialog.getByLabel('Client secret')).toHaveValue('')
  await expect(dialog.getByLabel('Client ids of apps')).toHaveValue('android, ios')
  await dialog.getByLabel('Users may sign in with it').uncheck()
  const [change] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    dialog.getByRole('button', { name: 'Save' }).click(),
  ])
  expect(new URL(change.url()).searchParams.get('updateMask')).toBe('enabled')
  expect(change.postDataJSON()).toEqual({ enabled: false })
  await expect(row.getByRole('cell').last()).toHaveText('off')

  // What was typed is kept when the dialog is closed, without the secret.
  await row.getByRole('button', { name: 'google.com' }).click()
  await dialog.getByLabel('Client id', { exact: true }).fill('456')
  await dialog.getByLabel('Client secret').fill(SECRET)
  await page.keyboard.press('Escape')
  await expect(page.getByText('Your draft of google.com is kept')).toBeVisible()
  expect(await page.evaluate(() => JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]))).not.toContain(SECRET)
  await page.getByRole('button', { name: 'Go back to it' }).click()
  await expect(dialog.getByLabel('Client id', { exact: true })).toHaveValue('456')
  await expect(dialog.getByLabel('Client secret')).toHaveValue('')
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await expect(dialog.getByLabel('Client id', { exact: true })).toHaveValue('123.apps.example.org')
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await dialog.getByRole('button', { name: 'Confirm: remove' }).click()
  await expect(page.getByText('No identity provider is configured.')).toBeVisible()
  expect(answers.length).toBeGreaterThan(2)
  expect(answers.join('\n')).not.toContain(SECRET)

  await page.goto(at('audit'))
  const changes = page.getByRole('row').filter({ hasText: 'provider google.com' }).filter({ hasText: 'OK' })
  for (const [i, method] of ['DELETE', 'PATCH', 'POST'].entries()) await expect(changes.nth(i)).toContainText(method)
  expect(await page.locator('main').innerText()).not.toContain(SECRET)
})

test('a provider of OpenID Connect is added, and a refusal stays beside what was typed', async ({ page, quiet }) => {
  await open(page, quiet)
  await page.goto(`${at('auth')}?provider=new`)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').selectOption('another one of OpenID Connect')
  await dialog.getByRole('textbox', { name: /^Name/ }).fill('choir')
  await dialog.getByLabel('Client id', { exact: true }).fill('client')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByRole('alert')).toContainText('MISSING_ISSUER')
  await dialog.getByLabel('Issuer').fill('https://login.example.org')
  await dialog.getByLabel('Client secret').fill(SECRET)
  const [added] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'POST' && request.url().includes('oauthIdpConfigs')),
    dialog.getByRole('button', { name: 'Save' }).click(),
  ])
  expect(added.postDataJSON()).toMatchObject({ responseType: { code: true } })
  await page.getByRole('button', { name: 'oidc.choir' }).click()
  await expect(dialog.getByLabel('Issuer')).toHaveValue('https://login.example.org')
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await dialog.getByRole('button', { name: 'Confirm: remove' }).click()
  await expect(page.getByRole('button', { name: 'oidc.choir' })).toHaveCount(0)
})

test('a provider of OAuth 2 is added with its addresses, and a member is changed', async ({ page, quiet }) => {
  await open(page, quiet)
  await page.goto(`${at('auth')}?provider=new`)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').selectOption('another one of OAuth 2')
  await dialog.getByRole('textbox', { name: /^Name/ }).fill('choir')
  await dialog.getByLabel('Client id', { exact: true }).fill('client')
  await dialog.getByLabel('Client secret').fill(SECRET)
  await dialog.getByLabel('Page of the provider').fill('https://choir.example.org/authorize')
  await dialog.getByLabel('Address for codes').fill('https://choir.example.org/token')
  await dialog.getByLabel('Scopes').fill('profile, email')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByRole('alert')).toContainText('oauthConfig.userInfoUrl is required')
  await dialog.getByLabel('Address for the user').fill('https://choir.example.org/me')
  await accessible(page)
  await fits(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  const row = page.getByRole('row').filter({ hasText: 'oauth.choir' })
  await expect(row).toContainText('https://choir.example.org/authorize')
  await row.getByRole('button', { name: 'oauth.choir' }).click()
  await expect(dialog.getByLabel('Scopes')).toHaveValue('profile, email')
  await expect(dialog.getByLabel('Client secret')).toHaveValue('')
  await dialog.getByLabel('Member that is true for a verified address').fill('confirmed')
  const [change] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    dialog.getByRole('button', { name: 'Save' }).click(),
  ])
  expect(change.postDataJSON()).toEqual({ oauthConfig: { userInfoMembers: { emailVerified: 'confirmed' } } })
  await row.getByRole('button', { name: 'oauth.choir' }).click()
  await expect(dialog.getByLabel('Member that is true for a verified address')).toHaveValue('confirmed')
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await dialog.getByRole('button', { name: 'Confirm: remove' }).click()
  await expect(row).toHaveCount(0)
})

test('a provider of SAML is added, changed and removed', async ({ page, quiet }) => {
  await open(page, quiet)
  await page.goto(`${at('auth')}?provider=new`)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').selectOption('one of SAML')
  await dialog.getByRole('textbox', { name: /^Name/ }).fill('choir')
  await dialog.getByLabel('Entity id of the provider').fill('https://idp.example.org/metadata')
  await dialog.getByLabel('Page of the provider').fill('https://idp.example.org/sso')
  await dialog.getByLabel('Entity id of this server').fill('choir-site')
  await dialog.getByLabel('Certificates of the provider').fill('no certificate')
  await expect(dialog.getByRole('region', { name: 'To be entered at the provider' })).toContainText('ACS')
  await accessible(page)
  await fits(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByRole('alert')).toContainText('INVALID_CONFIG')
  await dialog.getByLabel('Certificates of the provider').fill(CERTIFICATE)
  await dialog.getByRole('button', { name: 'Save' }).click()
  const row = page.getByRole('row').filter({ hasText: 'saml.choir' })
  await expect(row).toContainText('choir-site')
  await expect(row).toContainText('https://idp.example.org/metadata')
  await row.getByRole('button', { name: 'saml.choir' }).click()
  await expect(dialog.getByLabel('Certificates of the provider')).toHaveValue(CERTIFICATE)
  await expect(dialog.getByRole('region', { name: 'Certificate of this server' })).toHaveCount(0)
  await dialog.getByLabel('Sign the requests to it').check()
  await expect(dialog.getByText('Once this is saved')).toBeVisible()
  await dialog.getByLabel('Domains whose addresses it proves').fill('example.org')
  const [change] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PATCH'),
    dialog.getByRole('button', { name: 'Save' }).click(),
  ])
  expect(new URL(change.url()).searchParams.get('updateMask')).toBe('idpConfig.signRequest,emailDomains')
  await expect(dialog).toHaveCount(0)
  await row.getByRole('button', { name: 'saml.choir' }).click()
  await expect(dialog.getByLabel('Domains whose addresses it proves')).toHaveValue('example.org')
  await expect(dialog.getByRole('region', { name: 'Certificate of this server' })).toContainText('BEGIN CERTIFICATE')
  await accessible(page)
  await fits(page)
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await dialog.getByRole('button', { name: 'Confirm: remove' }).click()
  await expect(row).toHaveCount(0)
})

test('a provider of a tenant is not one of the project', async ({ page, quiet }) => {
  await open(page, quiet)
  const tenants = configs().replace('defaultSupportedIdpConfigs', 'tenants')
  expect(await request(page, 'POST', tenants, '{"displayName":"Choir of the north"}')).toBe(200)
  await page.goto(at('auth'))
  const choice = page.getByRole('combobox', { name: 'Tenant' })
  const id = await choice.locator('option', { hasText: 'Choir of the north' }).first().getAttribute('value')
  await choice.selectOption(id)
  await expect(page).toHaveURL(/tenant=/)
  await expect(page.getByText('No identity provider is configured.')).toBeVisible()
  await page.getByRole('button', { name: 'Add a provider' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Client id', { exact: true }).fill('of-the-tenant')
  const [added] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'POST' && request.url().includes('IdpConfigs')),
    dialog.getByRole('button', { name: 'Save' }).click(),
  ])
  expect(added.url()).toContain('/tenants/')
  const row = page.getByRole('row').filter({ hasText: 'of-the-tenant' })
  await expect(row).toBeVisible()
  await page.reload()
  await expect(row).toBeVisible()
  await choice.selectOption('')
  await expect(page.getByText('No identity provider is configured.')).toBeVisible()
  const found = (await page.evaluate(async (url) => (await fetch(url)).json(), tenants)) as { tenants: { name: string }[] }
  for (const { name } of found.tenants) await request(page, 'DELETE', `${tenants}/${name.split('/').at(-1)}`)
  await page.goto(at('audit'))
  await expect(page.getByRole('row').filter({ hasText: `provider google.com of tenant ${id}` })).toContainText('POST')
})

test('a read-only session sees providers and changes none', async ({ page, quiet }) => {
  await page.goto(await link(false))
  await expect(page.getByText('Read only')).toBeVisible()
  await page.goto(`${at('auth')}?provider=new`)
  await expect(page.getByRole('heading', { name: 'Identity providers' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add a provider' })).toHaveCount(0)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  quiet(/403/)
  expect(await request(page, 'POST', `${configs()}?idpId=google.com`, '{"clientId":"c"}')).toBe(403)
})
