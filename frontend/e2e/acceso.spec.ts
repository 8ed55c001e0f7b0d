import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { admin, ajena, codigo, crearAdmin, crearCuenta, entrar, leer, vaciar } from './admin-mundo'
import { SITIO } from './servidores'

test.beforeEach(vaciar)

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
  for (const campo of ['Código secreto', 'Nombre', 'Apellido', 'Correo electrónico', 'Contraseña']) {
    await expect(page.getByLabel(campo)).toBeVisible()
  }
  await expect(page.getByLabel('Contraseña')).toHaveAttribute('minlength', '6')
  await expect(page.locator('form')).toHaveAttribute('method', 'post')
})

test('S-078 signing in trims the address, is busy meanwhile and opens the panel', async ({ page }) => {
  await crearAdmin()
  await page.route('**/accounts:signInWithPassword**', async (ruta) => {
    await new Promise((listo) => setTimeout(listo, 1000))
    await ruta.continue()
  })
  await page.goto('/LogIn')
  await page.getByLabel('Correo electrónico').fill(` ${admin.correo} `)
  await page.getByLabel('Contraseña').fill(admin.clave)
  await page.getByRole('button', { name: 'Entrar' }).click()
  await expect(page.getByRole('button', { name: 'Entrando…' })).toBeDisabled()
  await page.waitForURL('**/AdminView')
  await expect(page.getByRole('heading', { level: 1, name: 'Panel Administrativo' })).toBeVisible()
})

test('S-079 a wrong password and an unknown address are told alike', async ({ page }) => {
  await crearAdmin()
  const estados: number[] = []
  page.on('response', (r) => {
    if (r.url().includes('signInWithPassword')) estados.push(r.status())
  })
  await page.goto('/LogIn')
  for (const correo of [admin.correo, 'nadie@x.do']) {
    await page.getByLabel('Correo electrónico').fill(correo)
    await page.getByLabel('Contraseña').fill('equivocada')
    await page.getByRole('button', { name: 'Entrar' }).click()
    await expect(page.getByRole('alert')).toHaveText('Credenciales inválidas.')
  }
  expect(estados).toEqual([400, 400])
})

const respuestas = [
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
  for (const [mensaje, texto] of respuestas) {
    await page.unrouteAll()
    await page.route('**/accounts:signInWithPassword**', (ruta) =>
      ruta.fulfill({ status: 400, json: { error: { code: 400, message: mensaje } } }),
    )
    await page.getByRole('button', { name: 'Entrar' }).click()
    await expect(page.getByRole('alert')).toHaveText(texto)
  }
  await page.unrouteAll()
  await page.route('**/accounts:signInWithPassword**', (ruta) => ruta.abort())
  await page.getByRole('button', { name: 'Entrar' }).click()
  await expect(page.getByRole('alert')).toHaveText('Problema de red. Verifica tu conexión.')
})

test('D-22 what can be told before asking is told without asking', async ({ page }) => {
  let pedidos = 0
  await page.route('**/identitytoolkit**', (ruta) => {
    pedidos += 1
    return ruta.abort()
  })
  await page.goto('/LogIn')
  const probar = async (correo: string, clave: string, texto: string, campo: string) => {
    await page.getByLabel('Correo electrónico').fill(correo)
    await page.getByLabel('Contraseña').fill(clave)
    await page.getByRole('button', { name: 'Entrar' }).click()
    await expect(page.getByRole('alert')).toHaveText(texto)
    await expect(page.getByLabel(campo)).toBeFocused()
    await expect(page.getByLabel(campo)).toHaveAttribute('aria-invalid', 'true')
  }
  await probar('', 'secreta1', 'Correo inválido.', 'Correo electrónico')
  await probar('sin arroba', 'secreta1', 'Correo inválido.', 'Correo electrónico')
  await probar('a@x.do', '12345', 'La contraseña es muy débil (mínimo 6 caracteres).', 'Contraseña')
  expect(pedidos).toBe(0)
})

test('S-087 the code is in nothing that is served', async ({ request, page }) => {
  const archivos = (await readdir(SITIO, { recursive: true, withFileTypes: true })).filter((uno) => uno.isFile())
  expect(archivos.length).toBeGreaterThan(20)
  for (const archivo of archivos) {
    const texto = await readFile(join(archivo.parentPath, archivo.name), 'latin1')
    expect(texto.includes(codigo), archivo.name).toBe(false)
  }
  const cuerpos: Promise<string>[] = []
  page.on('response', (r) => cuerpos.push(r.text().catch(() => '')))
  await page.goto('/LogIn')
  await expect(page.getByRole('button', { name: 'Entrar' })).toBeVisible()
  cuerpos.push((await request.post('/api/admin/codigo', { data: { code: codigo } })).text())
  for (const cuerpo of await Promise.all(cuerpos)) expect(cuerpo).not.toContain(codigo)
})

test('F-303 a signed-in administrator is sent from the door to the panel', async ({ page }) => {
  await crearAdmin()
  await entrar(page)
  await page.goto('/LogIn')
  await page.waitForURL('**/AdminView')
})

test('D-23 an account without a record sees only that it has no access', async ({ page }) => {
  const uid = await crearCuenta(ajena)
  const objetivos: string[] = []
  page.on('request', (r) => {
    if (r.url().includes('/Listen/channel') && r.method() === 'POST') objetivos.push(decodeURIComponent(r.postData() ?? ''))
  })
  await entrar(page, ajena)
  await expect(page.getByText('Tu cuenta no tiene acceso de administración.')).toBeVisible()
  await expect(page.getByRole('tab')).toHaveCount(0)
  expect(objetivos.join(' ')).not.toContain('ContactRequests')
  expect(await leer(`adminusers/${uid}`)).toBeNull()
  await page.getByRole('button', { name: 'Cerrar sesión' }).click()
  await expect(page).toHaveURL('/')
})
