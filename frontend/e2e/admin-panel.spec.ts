import { expect, test } from '@playwright/test'
import { EN, review } from './axe'
import { openPanel, admin, foreign, createAdmin, createAccount, enter, write, event, project, clear } from './admin-world'

test.beforeEach(clear)

test('S-092 without a session the panel redirects and shows nothing', async ({ page }) => {
  await page.goto('/AdminView')
  let seen = ''
  await expect(async () => {
    seen += await page.locator('body').innerText()
    expect(new URL(page.url()).pathname).toBe('/LogIn')
  }).toPass({ intervals: [20] })
  await expect(page.getByRole('heading', { name: 'Acceso Administrativo' })).toBeVisible()
  expect(seen).not.toContain('Administradores')
})

test('S-093 the header shows the user, and signing out ends the session', async ({ page }) => {
  await createAdmin()
  await enter(page)
  await expect(page.getByRole('banner').getByText('Ana Pérez', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Cerrar sesión' }).click()
  await expect(page).toHaveURL('/')
  await page.goto('/AdminView')
  await page.waitForURL('**/LogIn')
})

test('S-093 an account without a name is shown by its address', async ({ page }) => {
  await createAdmin({ email: 'sin@x.do', key: 'secreta1' })
  await enter(page, { email: 'sin@x.do', key: 'secreta1' })
  await expect(page.getByRole('banner').getByText('sin@x.do', { exact: true })).toBeVisible()
})

test('S-094 six tabs in order, by arrow keys, kept in the address', async ({ page }) => {
  await createAdmin()
  await enter(page)
  const tabs = page.getByRole('tab')
  await expect(tabs).toHaveText(['Administradores', 'Eventos', 'Boletín', 'Voluntarios', 'Contactos', 'Instrumentos'])
  await tabs.first().focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Eventos' })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('End')
  await expect(page).toHaveURL(/tab=instrumentos/)
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Administradores' })).toHaveAttribute('aria-selected', 'true')
  await page.goto('/AdminView?tab=contactos')
  await expect(page.getByRole('tab', { name: 'Contactos' })).toHaveAttribute('aria-selected', 'true')
})

test('the panel opens on the new forms, each a link to its list, and changes its theme', async ({ page }) => {
  await createAdmin()
  const at = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  await write('ContactRequests/a', { name: 'Eva', email: 'e@x.do', subject: 'Reserva', message: 'Hola', status: 'new', createdAt: at(3) })
  await write('ContactRequests/b', { name: 'Leo', email: 'l@x.do', subject: 'Otro', message: 'Hola', status: 'resolved', createdAt: at(2) })
  await write('voluntaryAplications/c', {
    fullName: 'Ada',
    email: 'a@x.do',
    phone: '1',
    message: 'Puedo ayudar',
    status: 'new',
    createdAt: at(1),
  })
  await enter(page)
  const news = page.getByRole('region', { name: 'Lo nuevo' })
  await expect(news.getByRole('link')).toHaveText([/Voluntarios.*Ada.*Puedo ayudar/, /Contactos.*Eva.*Reserva/])
  await expect(page.getByRole('tab', { selected: true })).toHaveCount(0)
  await page.getByRole('button', { name: 'Usar tema oscuro' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-tema', 'oscuro')
  await news.getByRole('link', { name: /Eva/ }).click()
  await expect(page.getByRole('tab', { name: 'Contactos' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('row').filter({ hasText: 'Eva' })).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'Leo' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Panel Administrativo' }).click()
  await expect(news).toBeVisible()
  await review(page, 'what is new', EN.phone)
})

test('S-095 administrators are searched by name and address', async ({ page }) => {
  await createAdmin()
  await write('adminusers/b', {
    firstName: 'Luis',
    lastName: 'Gómez',
    email: 'luis@correo.do',
    role: 'admin',
    active: false,
    createdAt: new Date('2026-09-05T23:30:00Z'),
  })
  await openPanel(page, 'Administradores')
  const rows = page.getByRole('row')
  await expect(page.getByRole('columnheader')).toHaveText(['Nombre', 'Correo', 'Rol', 'Activo', 'Creado'])
  await expect(rows).toHaveCount(3)
  await expect(rows.nth(1)).toContainText('Ana Pérez')
  await expect(rows.nth(1)).toContainText('Sí')
  await expect(rows.nth(2).getByRole('cell')).toHaveText(['Luis Gómez', 'luis@correo.do', 'admin', 'No', '05 SEP 2026 • 19:30'])
  await expect(page.getByText('Total: 2')).toBeVisible()
  await expect(page.getByText('con el código secreto')).toBeVisible()
  const search = page.getByPlaceholder('Buscar por nombre o correo…')
  for (const [text, howMany] of [
    ['PÉREZ', 1],
    ['ana p', 1],
    ['@correo', 1],
    ['@', 2],
  ] as const) {
    await search.fill(text)
    await expect(rows).toHaveCount(howMany + 1)
  }
  await search.fill('zzz')
  await expect(page.getByText('No hay resultados.')).toBeVisible()
})

test('S-110 a signed-in user without rights may neither create nor delete events', async ({ page, request, baseURL }) => {
  await createAccount(foreign)
  await write('MusicEvent/uno', event())
  const session = page.waitForResponse('**/accounts:signInWithPassword**')
  await enter(page, foreign)
  const { idToken } = await (await session).json()
  const docs = `${baseURL}/v1/projects/${project}/databases/(default)/documents`
  const headers = { Authorization: `Bearer ${idToken}` }
  const create = await request.post(`${docs}/MusicEvent`, { headers, data: { fields: { title: { stringValue: 'x' } } } })
  const erase = await request.delete(`${docs}/MusicEvent/uno`, { headers })
  expect([create.status(), erase.status()]).toEqual([403, 403])
  expect((await create.json()).error.status).toBe('PERMISSION_DENIED')
})

test('F-804 an administrator made inactive loses the panel at once', async ({ page }) => {
  const uid = await createAdmin()
  await openPanel(page, 'Contactos')
  await expect(page.getByText('Sin mensajes.')).toBeVisible()
  await write(`adminusers/${uid}`, { uid, email: admin.email, role: 'admin', active: false, createdAt: new Date() })
  await expect(page.getByText('Tu cuenta no tiene acceso de administración.')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('tab')).toHaveCount(0)
})

test('P-17 the summary counts open forms', async ({ page }) => {
  await createAdmin()
  await write('MusicEvent/uno', event())
  await write('MusicEvent/viejo', event({ date: '2020-01-01', eventDate: new Date('2020-01-01T12:00:00-04:00') }))
  await write('ContactRequests/uno', { name: 'A', email: 'a@x.do', subject: 'S', message: 'M', status: 'new', createdAt: new Date() })
  await write('ContactRequests/dos', {
    name: 'B',
    email: 'b@x.do',
    subject: 'S',
    message: 'M',
    status: 'resolved',
    createdAt: new Date(),
  })
  await enter(page)
  const summary = page.getByRole('region', { name: 'Resumen' })
  await expect(summary.getByRole('link', { name: /Eventos próximos/ })).toHaveText('1Eventos próximos')
  await expect(summary.getByRole('link', { name: /Mensajes nuevos/ })).toHaveText('1Mensajes nuevos')
  await expect(summary.getByRole('listitem').last()).toContainText(': 2')
  await summary.getByRole('link', { name: /Mensajes nuevos/ }).click()
  await expect(page).toHaveURL(/tab=contactos&estado=new/)
  await expect(page.getByRole('row')).toHaveCount(2)
})
