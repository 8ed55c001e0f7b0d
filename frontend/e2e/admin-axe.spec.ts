import { expect, test } from '@playwright/test'
import { openPanel, foreign, createAdmin, createAccount, enter, write, event, clear } from './admin-world'
import { review } from './axe'

test.describe.configure({ timeout: 180_000 })
test.beforeEach(clear)

test('axe: /LogIn, both tabs, locked, wrong and verified', async ({ page }) => {
  await page.route('**/api/admin/codigo', (route) => route.fulfill({ json: { ticket: 'boleto', expiresIn: 600 } }))
  await page.goto('/LogIn')
  await expect(page.getByRole('button', { name: 'Entrar' })).toBeVisible()
  await review(page, 'sign-in')
  await page.getByRole('button', { name: 'Entrar' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await review(page, 'sign-in with an error')
  await page.getByRole('tab', { name: 'Crear cuenta' }).click()
  await review(page, 'sign-up locked')
  await page.getByLabel('Código secreto').fill('x')
  await page.getByRole('button', { name: 'Verificar código' }).click()
  await expect(page.getByText('Código verificado.')).toBeVisible()
  await page.getByLabel('Contraseña').fill('Abcdef1')
  await review(page, 'sign-up verified')
})

test('axe: an account without access', async ({ page }) => {
  await createAccount(foreign)
  await enter(page, foreign)
  await expect(page.getByText('Tu cuenta no tiene acceso de administración.')).toBeVisible()
  await review(page, 'no access')
})

const tabs = ['Administradores', 'Eventos', 'Boletín', 'Voluntarios', 'Contactos', 'Instrumentos']

test('axe: each tab empty', async ({ page }) => {
  await createAdmin()
  await enter(page)
  for (const tab of tabs) {
    await page.getByRole('tab', { name: tab }).click()
    await expect(page.getByRole('tabpanel').getByText(/^(Total|Aún no hay)/)).toBeVisible()
    await review(page, `${tab}, empty`)
  }
})

/** One or more rows for each tab. */
async function fill() {
  await createAdmin()
  const person = { fullName: 'Ana', email: 'a@x.do', phone: '1', message: 'Hola', createdAt: new Date() }
  for (let n = 0; n < 27; n += 1) await write(`Massive Boletin/b${n}`, { email: `b${n}@x.do`, source: 'homepage', createdAt: new Date() })
  await write('voluntaryAplications/a', { ...person, status: 'in-progress' })
  await write('voluntaryApplications/a', { ...person, status: 'new' })
  await write('IntrumentRental/a', { ...person, status: 'new' })
  for (const status of ['new', 'in-progress', 'resolved', 'discarded']) {
    await write(`ContactRequests/${status}`, { ...person, name: 'Ana', subject: 'Asunto', status })
  }
  await write('MusicEvent/uno', event({ price: 10 }))
  await write('MusicEvent/viejo', event({ eventDate: new Date('2020-01-01T12:00:00Z') }))
}

test('axe: each tab with rows', async ({ page }) => {
  await fill()
  await openPanel(page, 'Administradores')
  for (const tab of tabs) {
    await page.getByRole('tab', { name: tab }).click()
    await expect(page.getByRole('tabpanel').getByText(/^Total/)).toBeVisible()
    await review(page, `${tab}, rows`)
  }
})

test('axe: what opens in the tabs', async ({ page }) => {
  await fill()
  await openPanel(page, 'Contactos')
  await page.getByRole('button', { name: 'Ana' }).first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await review(page, 'drawer')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Seleccionar' }).click()
  await page.getByRole('checkbox', { name: 'Seleccionar Ana' }).first().check()
  await review(page, 'selection')
  await page.getByPlaceholder('Buscar…').fill('zzz')
  await expect(page.getByText('No hay resultados.')).toBeVisible()
  await review(page, 'no match')
  await page.getByRole('tab', { name: 'Eventos' }).click()
  await page.getByRole('button', { name: 'Crear evento' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await review(page, 'event form with an error')
  await page.getByRole('button', { name: 'Editar' }).first().click()
  await review(page, 'editing')
  await page.getByRole('dialog').getByLabel('Título').fill('')
  await page.getByRole('button', { name: 'Guardar cambios' }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByText('Hay cambios sin guardar.')).toBeVisible()
  await review(page, 'editing with an error, leaving')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Eliminar' }).first().click()
  await expect(page.getByRole('alertdialog')).toBeVisible()
  await review(page, 'alert dialog')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(page.getByRole('button', { name: 'Deshacer' })).toBeVisible()
  await page.getByRole('button', { name: 'Deshacer' }).hover()
  await review(page, 'notice')
})
