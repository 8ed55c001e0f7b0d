import { expect, type Page, test } from '@playwright/test'
import { admin, clear, codesFor, createAdmin, enter } from './admin-world'
import { EN, review } from './axe'
import { holdRequests } from './hold'

test.beforeEach(clear)

/** Opens the form for a new password. */
async function openForm(page: Page): Promise<void> {
  await page.goto('/LogIn')
  await page.getByRole('button', { name: '¿Olvidaste tu contraseña?' }).click()
  await expect(page.getByRole('heading', { name: 'Recuperar contraseña' })).toBeVisible()
}

/** Sends the form for an address. */
async function request(page: Page, email: string): Promise<void> {
  await page.getByLabel('Correo electrónico').fill(email)
  await page.getByRole('button', { name: 'Enviar enlace' }).click()
}

test('a new password is requested in Spanish, set by the link, and signs in', async ({ page }) => {
  await createAdmin()
  const sent = page.waitForRequest('**/accounts:sendOobCode**')
  await openForm(page)
  await expect(page.getByLabel('Correo electrónico')).toBeFocused()
  const release = await holdRequests(page, '**/accounts:sendOobCode**')
  await request(page, ` ${admin.email} `)
  await expect(page.getByRole('button', { name: 'Enviando…' })).toBeDisabled()
  release()
  await expect(page.getByRole('status')).toHaveText(
    `Si hay una cuenta con ${admin.email}, le enviamos un enlace. Revisa también el correo no deseado.`,
  )
  await review(page, 'recovery sent', EN.phone)
  expect((await sent).headers()['x-firebase-locale']).toBe('es')
  expect((await sent).postDataJSON()).toMatchObject({ requestType: 'PASSWORD_RESET', email: admin.email })
  const code = (await codesFor(admin.email)).at(-1)
  expect(code?.kind).toBe('PASSWORD_RESET')
  const link = new URL(code?.link ?? '')
  expect(link.searchParams.get('lang')).toBe('es')
  expect(new URL(link.searchParams.get('continueUrl') ?? '').pathname).toBe('/LogIn')
  const changed = await page.request.get(`${link}&newPassword=otra-secreta-2`)
  expect(changed.status()).toBe(200)
  await page.getByRole('button', { name: 'Volver a iniciar sesión' }).click()
  await enter(page, { ...admin, key: 'otra-secreta-2' })
  await expect(page.getByRole('heading', { level: 1, name: 'Panel Administrativo' })).toBeVisible()
})

test('the answer does not tell whether an address has an account', async ({ page }) => {
  await createAdmin()
  await openForm(page)
  const answers: string[] = []
  for (const email of [admin.email, 'nadie@x.do']) {
    await request(page, email)
    await expect(page.getByRole('status')).toContainText(`Si hay una cuenta con ${email}`)
    answers.push((await page.getByRole('status').innerText()).replace(email, ''))
  }
  // A server without protection from e-mail enumeration names unknown addresses.
  await page.route('**/accounts:sendOobCode**', (route) =>
    route.fulfill({ status: 400, json: { error: { code: 400, message: 'EMAIL_NOT_FOUND' } } }),
  )
  await request(page, 'otra@x.do')
  await expect(page.getByRole('status')).toContainText('Si hay una cuenta con otra@x.do')
  answers.push((await page.getByRole('status').innerText()).replace('otra@x.do', ''))
  expect(new Set(answers).size).toBe(1)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('what a request for a new password fails with is shown', async ({ page }) => {
  await openForm(page)
  await request(page, 'sin arroba')
  await expect(page.getByRole('alert')).toHaveText('Correo inválido.')
  await expect(page.getByLabel('Correo electrónico')).toBeFocused()
  for (const [message, text] of [
    ['TOO_MANY_ATTEMPTS_TRY_LATER', 'Demasiados intentos. Inténtalo de nuevo en unos minutos.'],
    ['INVALID_EMAIL', 'Correo inválido.'],
  ] as const) {
    await page.unrouteAll()
    await page.route('**/accounts:sendOobCode**', (route) => route.fulfill({ status: 400, json: { error: { code: 400, message } } }))
    await request(page, 'a@x.do')
    await expect(page.getByRole('alert')).toHaveText(text)
  }
  await page.unrouteAll()
  await page.route('**/accounts:sendOobCode**', (route) => route.abort())
  await request(page, 'a@x.do')
  await expect(page.getByRole('alert')).toHaveText('Problema de red. Verifica tu conexión.')
  await expect(page.getByRole('status')).toBeEmpty()
})

test('an address that is not authorized to continue to gets a link without continuation', async ({ page }) => {
  await createAdmin()
  // The server keeps the codes of deleted accounts.
  const before = (await codesFor(admin.email)).length
  await page.route('**/accounts:sendOobCode**', (route) => {
    const { continueUrl }: { continueUrl?: string } = route.request().postDataJSON()
    return continueUrl ? route.fulfill({ status: 400, json: { error: { code: 400, message: 'UNAUTHORIZED_DOMAIN' } } }) : route.continue()
  })
  await openForm(page)
  await request(page, admin.email)
  await expect(page.getByRole('status')).toContainText('le enviamos un enlace')
  expect(await codesFor(admin.email)).toHaveLength(before + 1)
})
