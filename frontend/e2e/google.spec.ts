import { expect, type Page, test } from '@playwright/test'
import { admin, clear, createAdmin, list } from './admin-world'
import { EN, review } from './axe'

test.beforeEach(clear)

/** Serves /LogIn as a build with VITE_ACCESO_GOOGLE does. Google's page answers at once with a user whose address it has proved. */
async function offerGoogle(page: Page, email: string, answer?: string): Promise<void> {
  await page.route(/\/LogIn(?:\?.*)?$/, async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace('</title>', '</title><meta name="acceso-google" content="google.com" />')
    await route.fulfill({ response, body })
  })
  await page.route('**/accounts:createAuthUri**', (route) => {
    const { providerId, continueUri }: { providerId?: string; continueUri?: string } = route.request().postDataJSON()
    const token = JSON.stringify({ sub: `google-${email}`, email, email_verified: true, name: 'Ana' })
    const fields = new URLSearchParams({ state: 's', code: 'c', providerId: providerId ?? '', id_token: token })
    return route.fulfill({ json: { sessionId: 'session', authUri: `${continueUri}?${answer ?? fields}` } })
  })
}

const press = (page: Page) => page.getByRole('button', { name: 'Continuar con Google' }).click()

test('without a provider there is no button, and an answer in the address is ignored', async ({ page }) => {
  const calls: string[] = []
  page.on('request', (request) => {
    if (/signInWithIdp|createAuthUri/.test(request.url())) calls.push(request.url())
  })
  await page.goto('/LogIn?state=s&code=c')
  await expect(page.getByRole('button', { name: 'Entrar' })).toBeEnabled()
  await expect(page.getByRole('button', { name: 'Continuar con Google' })).toHaveCount(0)
  expect(calls).toEqual([])
})

test('an administrator signs in with Google', async ({ page }) => {
  await createAdmin()
  await offerGoogle(page, admin.email)
  await page.goto('/LogIn')
  await expect(page.getByRole('button', { name: 'Continuar con Google' })).toBeVisible()
  await review(page, 'sign-in with Google', EN.phone)
  const asserted = page.waitForRequest('**/accounts:signInWithIdp**')
  await press(page)
  await page.waitForURL('**/AdminView')
  await expect(page.getByRole('heading', { level: 1, name: 'Panel Administrativo' })).toBeVisible()
  expect((await asserted).postDataJSON()).toMatchObject({ sessionId: 'session', requestUri: expect.stringContaining('/LogIn?state=s') })
})

test('an address that is no administrator’s has no right and sees that', async ({ page }) => {
  await createAdmin()
  await offerGoogle(page, 'otra@gmail.com')
  await page.goto('/LogIn')
  await press(page)
  await expect(page.getByText('Tu cuenta no tiene acceso de administración.')).toBeVisible()
  await expect(page.getByRole('tab')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Cerrar sesión' })).toBeVisible()
  expect(await list('adminusers')).toHaveLength(1)
})

test('a refusal at Google is shown, and an answer of another tab is ignored', async ({ page }) => {
  await offerGoogle(page, admin.email, 'state=s&error=access_denied')
  await page.goto('/LogIn?state=s&code=foreign')
  await expect(page.getByRole('button', { name: 'Continuar con Google' })).toBeEnabled()
  await press(page)
  await expect(page.getByRole('alert')).toHaveText('Ocurrió un error. Intenta de nuevo.')
  await expect(page).toHaveURL(/\/LogIn$/)
  await expect(page.getByRole('button', { name: 'Continuar con Google' })).toBeEnabled()
})
