import { expect, test } from '@playwright/test'
import { abrirPanel, admin, ajena, crearAdmin, crearCuenta, entrar, escribir, evento, proyecto, vaciar } from './admin-mundo'

test.beforeEach(vaciar)

test('S-092 without a session the panel leads to the door and shows nothing of itself', async ({ page }) => {
  await page.goto('/AdminView')
  let visto = ''
  await expect(async () => {
    visto += await page.locator('body').innerText()
    expect(new URL(page.url()).pathname).toBe('/LogIn')
  }).toPass({ intervals: [20] })
  await expect(page.getByRole('heading', { name: 'Acceso Administrativo' })).toBeVisible()
  expect(visto).not.toContain('Administradores')
})

test('S-093 the header says who it is, and signing out ends the session', async ({ page }) => {
  await crearAdmin()
  await entrar(page)
  await expect(page.getByRole('banner').getByText('Ana Pérez', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Cerrar sesión' }).click()
  await expect(page).toHaveURL('/')
  await page.goto('/AdminView')
  await page.waitForURL('**/LogIn')
})

test('S-093 an account without a name is called by its address', async ({ page }) => {
  await crearAdmin({ correo: 'sin@x.do', clave: 'secreta1' })
  await entrar(page, { correo: 'sin@x.do', clave: 'secreta1' })
  await expect(page.getByRole('banner').getByText('sin@x.do', { exact: true })).toBeVisible()
})

test('S-094 six tabs in order, by arrow keys, kept in the address', async ({ page }) => {
  await crearAdmin()
  await entrar(page)
  const pestanas = page.getByRole('tab')
  await expect(pestanas).toHaveText(['Administradores', 'Eventos', 'Boletín', 'Voluntarios', 'Contactos', 'Instrumentos'])
  await pestanas.first().focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Eventos' })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('End')
  await expect(page).toHaveURL(/tab=instrumentos/)
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Administradores' })).toHaveAttribute('aria-selected', 'true')
  await page.goto('/AdminView?tab=contactos')
  await expect(page.getByRole('tab', { name: 'Contactos' })).toHaveAttribute('aria-selected', 'true')
})

test('S-095 administrators are searched by name and address', async ({ page }) => {
  await crearAdmin()
  await escribir('adminusers/b', {
    firstName: 'Luis',
    lastName: 'Gómez',
    email: 'luis@correo.do',
    role: 'admin',
    active: false,
    createdAt: new Date('2026-09-05T23:30:00Z'),
  })
  await entrar(page)
  const filas = page.getByRole('row')
  await expect(page.getByRole('columnheader')).toHaveText(['Nombre', 'Correo', 'Rol', 'Activo', 'Creado'])
  await expect(filas).toHaveCount(3)
  await expect(filas.nth(1)).toContainText('Ana Pérez')
  await expect(filas.nth(1)).toContainText('Sí')
  await expect(filas.nth(2).getByRole('cell')).toHaveText(['Luis Gómez', 'luis@correo.do', 'admin', 'No', '05 SEP 2026 • 19:30'])
  await expect(page.getByText('Total: 2')).toBeVisible()
  await expect(page.getByText('con el código secreto')).toBeVisible()
  const buscar = page.getByPlaceholder('Buscar por nombre o correo…')
  for (const [texto, cuantas] of [
    ['PÉREZ', 1],
    ['ana p', 1],
    ['@correo', 1],
    ['@', 2],
  ] as const) {
    await buscar.fill(texto)
    await expect(filas).toHaveCount(cuantas + 1)
  }
  await buscar.fill('zzz')
  await expect(page.getByText('No hay resultados.')).toBeVisible()
})

test('S-110 a signed-in stranger may neither create nor delete events', async ({ page, request, baseURL }) => {
  await crearCuenta(ajena)
  await escribir('MusicEvent/uno', evento())
  const sesion = page.waitForResponse('**/accounts:signInWithPassword**')
  await entrar(page, ajena)
  const { idToken } = await (await sesion).json()
  const documentos = `${baseURL}/v1/projects/${proyecto}/databases/(default)/documents`
  const headers = { Authorization: `Bearer ${idToken}` }
  const crear = await request.post(`${documentos}/MusicEvent`, { headers, data: { fields: { title: { stringValue: 'x' } } } })
  const borrar = await request.delete(`${documentos}/MusicEvent/uno`, { headers })
  expect([crear.status(), borrar.status()]).toEqual([403, 403])
  expect((await crear.json()).error.status).toBe('PERMISSION_DENIED')
})

test('F-804 an administrator made inactive loses the panel at once', async ({ page }) => {
  const uid = await crearAdmin()
  await abrirPanel(page, 'Contactos')
  await expect(page.getByText('Sin mensajes.')).toBeVisible()
  await escribir(`adminusers/${uid}`, { uid, email: admin.correo, role: 'admin', active: false, createdAt: new Date() })
  await expect(page.getByText('Tu cuenta no tiene acceso de administración.')).toBeVisible({ timeout: 10_000 })
  await expect(page.getByRole('tab')).toHaveCount(0)
})

test('P-17 the summary counts what waits', async ({ page }) => {
  await crearAdmin()
  await escribir('MusicEvent/uno', evento())
  await escribir('MusicEvent/viejo', evento({ date: '2020-01-01', eventDate: new Date('2020-01-01T12:00:00-04:00') }))
  await escribir('ContactRequests/uno', { name: 'A', email: 'a@x.do', subject: 'S', message: 'M', status: 'new', createdAt: new Date() })
  await escribir('ContactRequests/dos', {
    name: 'B',
    email: 'b@x.do',
    subject: 'S',
    message: 'M',
    status: 'resolved',
    createdAt: new Date(),
  })
  await entrar(page)
  const resumen = page.getByRole('region', { name: 'Resumen' })
  await expect(resumen.getByRole('link', { name: /Eventos próximos/ })).toHaveText('1Eventos próximos')
  await expect(resumen.getByRole('link', { name: /Mensajes nuevos/ })).toHaveText('1Mensajes nuevos')
  await expect(resumen.getByRole('listitem').last()).toContainText(': 2')
  await resumen.getByRole('link', { name: /Mensajes nuevos/ }).click()
  await expect(page).toHaveURL(/tab=contactos&estado=new/)
  await expect(page.getByRole('row')).toHaveCount(2)
})
