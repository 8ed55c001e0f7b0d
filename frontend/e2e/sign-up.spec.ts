import { expect, type Page, test } from '@playwright/test'
import { secretCode, list, clear } from './admin-world'
import { holdRequests } from './hold'

test.beforeEach(clear)

const openCreate = async (page: Page) => {
  await page.goto('/LogIn')
  await page.getByRole('tab', { name: 'Crear cuenta' }).click()
}

/** Unlocks the sign-up form without a request to the server. */
const verifyTwice = async (page: Page) => {
  await page.route('**/api/admin/codigo', (route) => route.fulfill({ json: { ticket: 'boleto', expiresIn: 600 } }))
  await openCreate(page)
  await page.getByLabel('Código secreto').fill('cualquiera')
  await page.getByRole('button', { name: 'Verificar código' }).click()
  await expect(page.getByText('Código verificado.')).toBeVisible()
}

const fillAccount = async (page: Page, key = 'secreta1') => {
  await page.getByLabel('Nombre').fill(' Ana ')
  await page.getByLabel('Apellido').fill('Pérez')
  await page.getByLabel('Correo electrónico').fill(' Nueva@X.do ')
  await page.getByLabel('Contraseña').fill(key)
}

const refusals = [
  [409, 'email-already-in-use', 'Este correo ya está en uso.'],
  [400, 'weak-password', 'La contraseña es muy débil (mínimo 6 caracteres).'],
  [400, 'invalid-email', 'Correo inválido.'],
  [429, 'too-many-requests', 'Demasiados intentos. Inténtalo de nuevo en unos minutos.'],
  [500, 'internal-error', 'Ocurrió un error. Intenta de nuevo.'],
] as const

test('S-080 each refusal of signing up has its text', async ({ page }) => {
  await verifyTwice(page)
  await fillAccount(page)
  for (const [status, code, text] of refusals) {
    await page.unrouteAll()
    await page.route('**/api/admin/registro', (route) => route.fulfill({ status, json: { error: { code, message: 'x' } } }))
    await page.getByRole('button', { name: 'Crear cuenta' }).click()
    await expect(page.getByRole('alert')).toHaveText(text)
  }
  await page.unrouteAll()
  await page.route('**/api/admin/registro', (route) => route.abort())
  await page.getByRole('button', { name: 'Crear cuenta' }).click()
  await expect(page.getByRole('alert')).toHaveText('Problema de red. Verifica tu conexión.')
})

test('S-083 the form is locked until the code is right', async ({ page }) => {
  await openCreate(page)
  const fields = ['Nombre', 'Apellido', 'Correo electrónico', 'Contraseña']
  for (const field of fields) await expect(page.getByLabel(field)).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Crear cuenta' })).toBeDisabled()
  await expect(page.getByText('Requerido para crear una cuenta.')).toBeVisible()
  await expect(page.getByLabel('Código secreto')).toHaveAttribute('type', 'password')
  await page.getByLabel('Código secreto').fill('equivocado')
  await page.getByLabel('Código secreto').press('Enter')
  await expect(page.getByRole('alert')).toHaveText('Código secreto incorrecto.')
  for (const field of fields) await expect(page.getByLabel(field)).toBeDisabled()
  // Blanks around a pasted code are ignored.
  await page.getByLabel('Código secreto').fill(` ${secretCode} `)
  await expect(page.getByText('Requerido para crear una cuenta.')).toBeVisible()
  await page.getByRole('button', { name: 'Verificar código' }).click()
  await expect(page.getByText('Código verificado.')).toBeVisible()
  for (const field of fields) await expect(page.getByLabel(field)).toBeEnabled()
  await page.getByLabel('Código secreto').fill('otro')
  for (const field of fields) await expect(page.getByLabel(field)).toBeDisabled()
})

test('F-801 reports too many attempts, and shows progress', async ({ page }) => {
  const refusal = { status: 429, headers: { 'Retry-After': '900' }, json: { error: { code: 'too-many-requests', message: 'x' } } }
  const release = await holdRequests(page, '**/api/admin/codigo', (route) => route.fulfill(refusal))
  await openCreate(page)
  await page.getByLabel('Código secreto').fill('x')
  await page.getByRole('button', { name: 'Verificar código' }).click()
  await expect(page.getByRole('button', { name: 'Verificando…' })).toBeDisabled()
  release()
  await expect(page.getByRole('alert')).toHaveText('Demasiados intentos. Inténtalo de nuevo en unos minutos.')
})

const keys = [
  ['', '', 0, ['Al menos 6 caracteres', 'Una mayúscula', 'Una minúscula', 'Un número', 'Un símbolo']],
  ['abc', 'Muy débil', 20, ['Al menos 6 caracteres', 'Una mayúscula', 'Un número', 'Un símbolo']],
  ['abcdef', 'Muy débil', 20, ['Una mayúscula', 'Un número', 'Un símbolo']],
  ['abcdef1', 'Débil', 40, ['Una mayúscula', 'Un símbolo']],
  ['Abcdef1', 'Buena', 70, ['Un símbolo']],
  ['Abcdef1!', 'Fuerte', 100, []],
  ['Abcdefghi1!', 'Fuerte', 100, []],
] as const

test('S-084 the meter rates passwords and shows missing requirements', async ({ page }) => {
  await verifyTwice(page)
  const meter = page.getByRole('meter')
  for (const [key, label, width, missing] of keys) {
    await page.getByLabel('Contraseña').fill(key)
    await expect(meter).toHaveAttribute('aria-valuetext', label || 'Sin escribir')
    await expect(meter).toHaveAttribute('aria-valuenow', String(width))
    if (label) await expect(page.getByText(label, { exact: true })).toBeVisible()
    else await expect(page.getByText(/^(?:Muy débil|Débil|Buena|Fuerte)$/)).toHaveCount(0)
    expect(await meter.locator('span').evaluate((bar) => bar.getAttribute('style'))).toContain(`${width}%`)
    await expect(page.getByRole('tabpanel').getByRole('listitem')).toHaveText([...missing])
  }
})

test('F-507 requires names, address and a password of six characters', async ({ page }) => {
  await verifyTwice(page)
  const create = page.getByRole('button', { name: 'Crear cuenta' })
  await create.click()
  await expect(page.getByRole('alert')).toHaveText('Completa todos los campos.')
  await expect(page.getByLabel('Nombre')).toBeFocused()
  await fillAccount(page, '12345')
  await create.click()
  await expect(page.getByRole('alert')).toHaveText('La contraseña es muy débil (mínimo 6 caracteres).')
})

test('S-086 the right code makes an administrator', async ({ page }) => {
  await openCreate(page)
  await page.getByLabel('Código secreto').fill(secretCode)
  await page.getByRole('button', { name: 'Verificar código' }).click()
  await fillAccount(page)
  const release = await holdRequests(page, '**/api/admin/registro')
  await page.getByRole('button', { name: 'Crear cuenta' }).click()
  await expect(page.getByRole('button', { name: 'Creando…' })).toBeDisabled()
  release()
  await page.waitForURL('**/AdminView')
  await expect(page.getByRole('banner').getByText('Ana Pérez')).toBeVisible()
  const [record, ...others] = await list('adminusers')
  expect(others).toEqual([])
  const { id, createdAt, ...fields } = record ?? {}
  expect(fields).toEqual({
    uid: id,
    firstName: 'Ana',
    lastName: 'Pérez',
    displayName: 'Ana Pérez',
    email: 'nueva@x.do',
    role: 'admin',
    active: true,
    signupMethod: 'codigo-secreto',
  })
  expect(createdAt).toBeInstanceOf(Date)
})

test('an account whose session could not be opened is not made twice', async ({ page }) => {
  await openCreate(page)
  await page.getByLabel('Código secreto').fill(secretCode)
  await page.getByRole('button', { name: 'Verificar código' }).click()
  await expect(page.getByText('Código verificado.')).toBeVisible()
  await fillAccount(page)
  await page.route('**/accounts:signInWithPassword**', (route) => route.abort())
  await page.getByRole('button', { name: 'Crear cuenta' }).click()
  await expect(page.getByRole('alert')).toHaveText('Tu cuenta quedó creada, pero no pudimos abrir la sesión. Intenta de nuevo.')
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Crear cuenta' }).click()
  await page.waitForURL('**/AdminView')
  expect(await list('adminusers')).toHaveLength(1)
})
