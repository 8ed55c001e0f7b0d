import { expect, type Page, test } from '@playwright/test'
import { codigo, listar, vaciar } from './admin-mundo'

test.beforeEach(vaciar)

const abrirCrear = async (page: Page) => {
  await page.goto('/LogIn')
  await page.getByRole('tab', { name: 'Crear cuenta' }).click()
}

/** Unlocks the sign-up form without asking the server. */
const verificarConDoble = async (page: Page) => {
  await page.route('**/api/admin/codigo', (ruta) => ruta.fulfill({ json: { ticket: 'boleto', expiresIn: 600 } }))
  await abrirCrear(page)
  await page.getByLabel('Código secreto').fill('cualquiera')
  await page.getByRole('button', { name: 'Verificar código' }).click()
  await expect(page.getByText('Código verificado.')).toBeVisible()
}

const rellenarCuenta = async (page: Page, clave = 'secreta1') => {
  await page.getByLabel('Nombre').fill(' Ana ')
  await page.getByLabel('Apellido').fill('Pérez')
  await page.getByLabel('Correo electrónico').fill(' Nueva@X.do ')
  await page.getByLabel('Contraseña').fill(clave)
}

const rechazos = [
  [409, 'email-already-in-use', 'Este correo ya está en uso.'],
  [400, 'weak-password', 'La contraseña es muy débil (mínimo 6 caracteres).'],
  [400, 'invalid-email', 'Correo inválido.'],
  [429, 'too-many-requests', 'Demasiados intentos. Inténtalo de nuevo en unos minutos.'],
  [500, 'internal-error', 'Ocurrió un error. Intenta de nuevo.'],
] as const

test('S-080 each refusal of signing up has its text', async ({ page }) => {
  await verificarConDoble(page)
  await rellenarCuenta(page)
  for (const [status, code, texto] of rechazos) {
    await page.unrouteAll()
    await page.route('**/api/admin/registro', (ruta) => ruta.fulfill({ status, json: { error: { code, message: 'x' } } }))
    await page.getByRole('button', { name: 'Crear cuenta' }).click()
    await expect(page.getByRole('alert')).toHaveText(texto)
  }
  await page.unrouteAll()
  await page.route('**/api/admin/registro', (ruta) => ruta.abort())
  await page.getByRole('button', { name: 'Crear cuenta' }).click()
  await expect(page.getByRole('alert')).toHaveText('Problema de red. Verifica tu conexión.')
})

test('S-083 the form is locked until the code is right', async ({ page }) => {
  await abrirCrear(page)
  const campos = ['Nombre', 'Apellido', 'Correo electrónico', 'Contraseña']
  for (const campo of campos) await expect(page.getByLabel(campo)).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Crear cuenta' })).toBeDisabled()
  await expect(page.getByText('Requerido para crear una cuenta.')).toBeVisible()
  await expect(page.getByLabel('Código secreto')).toHaveAttribute('type', 'password')
  await page.getByLabel('Código secreto').fill('equivocado')
  await page.getByLabel('Código secreto').press('Enter')
  await expect(page.getByRole('alert')).toHaveText('Código secreto incorrecto.')
  for (const campo of campos) await expect(page.getByLabel(campo)).toBeDisabled()
  // Blanks around a code that was pasted are none of it.
  await page.getByLabel('Código secreto').fill(` ${codigo} `)
  await expect(page.getByText('Requerido para crear una cuenta.')).toBeVisible()
  await page.getByRole('button', { name: 'Verificar código' }).click()
  await expect(page.getByText('Código verificado.')).toBeVisible()
  for (const campo of campos) await expect(page.getByLabel(campo)).toBeEnabled()
  await page.getByLabel('Código secreto').fill('otro')
  for (const campo of campos) await expect(page.getByLabel(campo)).toBeDisabled()
})

test('F-801 too many tries say so, and checking says that it is busy', async ({ page }) => {
  await page.route('**/api/admin/codigo', async (ruta) => {
    await new Promise((listo) => setTimeout(listo, 500))
    await ruta.fulfill({ status: 429, headers: { 'Retry-After': '900' }, json: { error: { code: 'too-many-requests', message: 'x' } } })
  })
  await abrirCrear(page)
  await page.getByLabel('Código secreto').fill('x')
  await page.getByRole('button', { name: 'Verificar código' }).click()
  await expect(page.getByRole('button', { name: 'Verificando…' })).toBeDisabled()
  await expect(page.getByRole('alert')).toHaveText('Demasiados intentos. Inténtalo de nuevo en unos minutos.')
})

const claves = [
  ['', 'Muy débil', 20, ['Al menos 6 caracteres', 'Una mayúscula', 'Una minúscula', 'Un número', 'Un símbolo']],
  ['abc', 'Muy débil', 20, ['Al menos 6 caracteres', 'Una mayúscula', 'Un número', 'Un símbolo']],
  ['abcdef', 'Muy débil', 20, ['Una mayúscula', 'Un número', 'Un símbolo']],
  ['abcdef1', 'Débil', 40, ['Una mayúscula', 'Un símbolo']],
  ['Abcdef1', 'Buena', 70, ['Un símbolo']],
  ['Abcdef1!', 'Fuerte', 100, []],
  ['Abcdefghi1!', 'Fuerte', 100, []],
] as const

test('S-084 the meter scores passwords and says what is missing', async ({ page }) => {
  await verificarConDoble(page)
  const medidor = page.getByRole('meter')
  for (const [clave, etiqueta, ancho, faltan] of claves) {
    await page.getByLabel('Contraseña').fill(clave)
    await expect(medidor).toHaveAttribute('aria-valuetext', etiqueta)
    await expect(medidor).toHaveAttribute('aria-valuenow', String(ancho))
    await expect(page.getByText(etiqueta, { exact: true })).toBeVisible()
    expect(await medidor.locator('span').evaluate((barra) => barra.getAttribute('style'))).toContain(`${ancho}%`)
    await expect(page.getByRole('tabpanel').getByRole('listitem')).toHaveText([...faltan])
  }
})

test('F-507 names, address and password are wanted, and six characters', async ({ page }) => {
  await verificarConDoble(page)
  const crear = page.getByRole('button', { name: 'Crear cuenta' })
  await crear.click()
  await expect(page.getByRole('alert')).toHaveText('Completa todos los campos.')
  await expect(page.getByLabel('Nombre')).toBeFocused()
  await rellenarCuenta(page, '12345')
  await crear.click()
  await expect(page.getByRole('alert')).toHaveText('La contraseña es muy débil (mínimo 6 caracteres).')
})

test('S-086 the right code makes an administrator', async ({ page }) => {
  await abrirCrear(page)
  await page.getByLabel('Código secreto').fill(codigo)
  await page.getByRole('button', { name: 'Verificar código' }).click()
  await rellenarCuenta(page)
  await page.route('**/api/admin/registro', async (ruta) => {
    await new Promise((listo) => setTimeout(listo, 500))
    await ruta.continue()
  })
  await page.getByRole('button', { name: 'Crear cuenta' }).click()
  await expect(page.getByRole('button', { name: 'Creando…' })).toBeDisabled()
  await page.waitForURL('**/AdminView')
  await expect(page.getByRole('banner').getByText('Ana Pérez')).toBeVisible()
  const [registro, ...otros] = await listar('adminusers')
  expect(otros).toEqual([])
  const { id, createdAt, ...campos } = registro ?? {}
  expect(campos).toEqual({
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
  await abrirCrear(page)
  await page.getByLabel('Código secreto').fill(codigo)
  await page.getByRole('button', { name: 'Verificar código' }).click()
  await expect(page.getByText('Código verificado.')).toBeVisible()
  await rellenarCuenta(page)
  await page.route('**/accounts:signInWithPassword**', (ruta) => ruta.abort())
  await page.getByRole('button', { name: 'Crear cuenta' }).click()
  await expect(page.getByRole('alert')).toHaveText('Tu cuenta quedó creada, pero no pudimos abrir la sesión. Intenta de nuevo.')
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Crear cuenta' }).click()
  await page.waitForURL('**/AdminView')
  expect(await listar('adminusers')).toHaveLength(1)
})
