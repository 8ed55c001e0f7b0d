import { expect, test } from '@playwright/test'
import { abrirPanel, ajena, crearAdmin, crearCuenta, entrar, escribir, evento, vaciar } from './admin-mundo'
import { revisar } from './axe'

test.describe.configure({ timeout: 180_000 })
test.beforeEach(vaciar)

test('axe: /LogIn, both tabs, locked, wrong and verified', async ({ page }) => {
  await page.route('**/api/admin/codigo', (ruta) => ruta.fulfill({ json: { ticket: 'boleto', expiresIn: 600 } }))
  await page.goto('/LogIn')
  await expect(page.getByRole('button', { name: 'Entrar' })).toBeVisible()
  await revisar(page, 'sign-in')
  await page.getByRole('button', { name: 'Entrar' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await revisar(page, 'sign-in with an error')
  await page.getByRole('tab', { name: 'Crear cuenta' }).click()
  await revisar(page, 'sign-up locked')
  await page.getByLabel('Código secreto').fill('x')
  await page.getByRole('button', { name: 'Verificar código' }).click()
  await expect(page.getByText('Código verificado.')).toBeVisible()
  await page.getByLabel('Contraseña').fill('Abcdef1')
  await revisar(page, 'sign-up verified')
})

test('axe: an account without access', async ({ page }) => {
  await crearCuenta(ajena)
  await entrar(page, ajena)
  await expect(page.getByText('Tu cuenta no tiene acceso de administración.')).toBeVisible()
  await revisar(page, 'no access')
})

const pestanas = ['Administradores', 'Eventos', 'Boletín', 'Voluntarios', 'Contactos', 'Instrumentos']

test('axe: each tab empty', async ({ page }) => {
  await crearAdmin()
  await entrar(page)
  for (const pestana of pestanas) {
    await page.getByRole('tab', { name: pestana }).click()
    await expect(page.getByRole('tabpanel').getByText(/^(Total|Aún no hay)/)).toBeVisible()
    await revisar(page, `${pestana}, empty`)
  }
})

/** One or more rows for each tab. */
async function llenar() {
  await crearAdmin()
  const persona = { fullName: 'Ana', email: 'a@x.do', phone: '1', message: 'Hola', createdAt: new Date() }
  for (let n = 0; n < 27; n += 1)
    await escribir(`Massive Boletin/b${n}`, { email: `b${n}@x.do`, source: 'homepage', createdAt: new Date() })
  await escribir('voluntaryAplications/a', { ...persona, status: 'in-progress' })
  await escribir('voluntaryApplications/a', { ...persona, status: 'new' })
  await escribir('IntrumentRental/a', { ...persona, status: 'new' })
  for (const status of ['new', 'in-progress', 'resolved', 'discarded']) {
    await escribir(`ContactRequests/${status}`, { ...persona, name: 'Ana', subject: 'Asunto', status })
  }
  await escribir('MusicEvent/uno', evento({ price: 10 }))
  await escribir('MusicEvent/viejo', evento({ eventDate: new Date('2020-01-01T12:00:00Z') }))
}

test('axe: each tab with rows', async ({ page }) => {
  await llenar()
  await abrirPanel(page, 'Administradores')
  for (const pestana of pestanas) {
    await page.getByRole('tab', { name: pestana }).click()
    await expect(page.getByRole('tabpanel').getByText(/^Total/)).toBeVisible()
    await revisar(page, `${pestana}, rows`)
  }
})

test('axe: what opens in the tabs', async ({ page }) => {
  await llenar()
  await abrirPanel(page, 'Contactos')
  await page.getByRole('button', { name: 'Ana' }).first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await revisar(page, 'drawer')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Seleccionar' }).click()
  await page.getByRole('checkbox', { name: 'Seleccionar Ana' }).first().check()
  await revisar(page, 'selection')
  await page.getByPlaceholder('Buscar…').fill('zzz')
  await expect(page.getByText('No hay resultados.')).toBeVisible()
  await revisar(page, 'no match')
  await page.getByRole('tab', { name: 'Eventos' }).click()
  await page.getByRole('button', { name: 'Crear evento' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await revisar(page, 'event form with an error')
  await page.getByRole('button', { name: 'Editar' }).first().click()
  await revisar(page, 'editing')
  await page.getByRole('dialog').getByLabel('Título').fill('')
  await page.getByRole('button', { name: 'Guardar cambios' }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByText('Hay cambios sin guardar.')).toBeVisible()
  await revisar(page, 'editing with an error, leaving')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Eliminar' }).first().click()
  await expect(page.getByRole('alertdialog')).toBeVisible()
  await revisar(page, 'alert dialog')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(page.getByRole('button', { name: 'Deshacer' })).toBeVisible()
  await page.getByRole('button', { name: 'Deshacer' }).hover()
  await revisar(page, 'notice')
})
