import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { admin, ajena, codigo, crearAdmin, crearCuenta, entrar, leer, listar, protegerCorreos, vaciar } from './admin-mundo'
import { SITIO } from './servidores'

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
  await protegerCorreos()
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
  await page.getByLabel('Código secreto').fill(codigo)
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
