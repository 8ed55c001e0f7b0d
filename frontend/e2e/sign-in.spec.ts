import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { admin, foreign, secretCode, createAdmin, createAccount, enter, read, clear } from './admin-world'
import { SITE } from './servers'
import { holdRequests } from './hold'

test.beforeEach(clear)

test('S-077 two tabs with their headings, fields and buttons', async ({ page }) => {
  await page.goto('/LogIn')
  await expect(page.getByRole('tab')).toHaveText(['Iniciar sesión', 'Crear cuenta'])
  await expect(page.getByRole('heading', { name: 'Acceso Administrativo' })).toBeVisible()
  await expect(page.getByLabel('Correo electrónico')).toHaveAttribute('type', 'email')
  await expect(page.getByLabel('Contraseña')).toHaveAttribute('minlength', '6')
  await expect(page.getByRole('button', { name: 'Entrar' })).toBeEnabled()
  await expect(page.locator('form')).toHaveAttribute('method', 'post')
  await page.getByRole('tab', { name: 'Crear cuenta' }).click()
  await expect(page.getByRole('heading', { name: 'Crear cuenta admin' })).toBeVisible()
  for (const field of ['Código secreto', 'Nombre', 'Apellido', 'Correo electrónico', 'Contraseña']) {
    await expect(page.getByLabel(field)).toBeVisible()
  }
  await expect(page.getByLabel('Contraseña')).toHaveAttribute('minlength', '6')
  await expect(page.locator('form')).toHaveAttribute('method', 'post')
})

test('S-078 signing in trims the address, is busy meanwhile and opens the panel', async ({ page }) => {
  await createAdmin()
  const release = await holdRequests(page, '**/accounts:signInWithPassword**')
  await page.goto('/LogIn')
  await page.getByLabel('Correo electrónico').fill(` ${admin.email} `)
  await page.getByLabel('Contraseña').fill(admin.key)
  await page.getByRole('button', { name: 'Entrar' }).click()
  await expect(page.getByRole('button', { name: 'Entrando…' })).toBeDisabled()
  release()
  await page.waitForURL('**/AdminView')
  await expect(page.getByRole('heading', { level: 1, name: 'Panel Administrativo' })).toBeVisible()
})

test('S-079 a wrong password and an unknown address have the same message', async ({ page }) => {
  await createAdmin()
  const statuses: number[] = []
  page.on('response', (r) => {
    if (r.url().includes('signInWithPassword')) statuses.push(r.status())
  })
  await page.goto('/LogIn')
  for (const email of [admin.email, 'nadie@x.do']) {
    await page.getByLabel('Correo electrónico').fill(email)
    await page.getByLabel('Contraseña').fill('equivocada')
    await page.getByRole('button', { name: 'Entrar' }).click()
    await expect(page.getByRole('alert')).toHaveText('Credenciales inválidas.')
  }
  expect(statuses).toEqual([400, 400])
})

const answers = [
  ['INVALID_EMAIL', 'Correo inválido.'],
  ['EMAIL_NOT_FOUND', 'No existe una cuenta con ese correo.'],
  ['INVALID_PASSWORD', 'Contraseña incorrecta.'],
  ['INVALID_LOGIN_CREDENTIALS', 'Credenciales inválidas.'],
  ['OPERATION_NOT_ALLOWED', 'Método de acceso no habilitado. Verifica que el acceso con correo y contraseña esté activado.'],
  ['TOO_MANY_ATTEMPTS_TRY_LATER', 'Demasiados intentos. Inténtalo de nuevo en unos minutos.'],
  ['USER_DISABLED', 'Ocurrió un error. Intenta de nuevo.'],
] as const

test('S-080 each refusal of signing in has its text', async ({ page }) => {
  await page.goto('/LogIn')
  await page.getByLabel('Correo electrónico').fill('a@x.do')
  await page.getByLabel('Contraseña').fill('secreta1')
  for (const [message, text] of answers) {
    await page.unrouteAll()
    await page.route('**/accounts:signInWithPassword**', (route) =>
      route.fulfill({ status: 400, json: { error: { code: 400, message: message } } }),
    )
    await page.getByRole('button', { name: 'Entrar' }).click()
    await expect(page.getByRole('alert')).toHaveText(text)
  }
  await page.unrouteAll()
  await page.route('**/accounts:signInWithPassword**', (route) => route.abort())
  await page.getByRole('button', { name: 'Entrar' }).click()
  await expect(page.getByRole('alert')).toHaveText('Problema de red. Verifica tu conexión.')
})

test('D-22 errors that need no server are shown without a request', async ({ page }) => {
  let requests = 0
  await page.route('**/identitytoolkit**', (route) => {
    requests += 1
    return route.abort()
  })
  await page.goto('/LogIn')
  const attempt = async (email: string, key: string, text: string, field: string) => {
    await page.getByLabel('Correo electrónico').fill(email)
    await page.getByLabel('Contraseña').fill(key)
    await page.getByRole('button', { name: 'Entrar' }).click()
    await expect(page.getByRole('alert')).toHaveText(text)
    await expect(page.getByLabel(field)).toBeFocused()
    await expect(page.getByLabel(field)).toHaveAttribute('aria-invalid', 'true')
  }
  await attempt('', 'secreta1', 'Correo inválido.', 'Correo electrónico')
  await attempt('sin arroba', 'secreta1', 'Correo inválido.', 'Correo electrónico')
  await attempt('a@x.do', '12345', 'La contraseña es muy débil (mínimo 6 caracteres).', 'Contraseña')
  expect(requests).toBe(0)
})

test('S-087 no served file contains the code', async ({ request, page }) => {
  const files = (await readdir(SITE, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
  expect(files.length).toBeGreaterThan(20)
  for (const file of files) {
    const text = await readFile(join(file.parentPath, file.name), 'latin1')
    expect(text.includes(secretCode), file.name).toBe(false)
  }
  const bodies: Promise<string>[] = []
  page.on('response', (r) => bodies.push(r.text().catch(() => '')))
  await page.goto('/LogIn')
  await expect(page.getByRole('button', { name: 'Entrar' })).toBeVisible()
  bodies.push((await request.post('/api/admin/codigo', { data: { code: secretCode } })).text())
  for (const body of await Promise.all(bodies)) expect(body).not.toContain(secretCode)
})

test('F-303 a signed-in administrator is redirected to the panel', async ({ page }) => {
  await createAdmin()
  await enter(page)
  await page.goto('/LogIn')
  await page.waitForURL('**/AdminView')
})

test('D-23 an account without a record sees only that it has no access', async ({ page }) => {
  const uid = await createAccount(foreign)
  const targets: string[] = []
  page.on('request', (r) => {
    if (r.url().includes('/Listen/channel') && r.method() === 'POST') targets.push(decodeURIComponent(r.postData() ?? ''))
  })
  await enter(page, foreign)
  await expect(page.getByText('Tu cuenta no tiene acceso de administración.')).toBeVisible()
  await expect(page.getByRole('tab')).toHaveCount(0)
  expect(targets.join(' ')).not.toContain('ContactRequests')
  expect(await read(`adminusers/${uid}`)).toBeNull()
  await page.getByRole('button', { name: 'Cerrar sesión' }).click()
  await expect(page).toHaveURL('/')
})
