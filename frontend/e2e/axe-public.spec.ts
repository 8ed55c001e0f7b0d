import { expect, type Page, test } from '@playwright/test'
import { PUBLIC_PATHS } from '../src/paths'
import { EN, review } from './axe'
import { stopClock, seed, clearData } from './public-world'

const [PHONE] = EN.phone
const [DESKTOP] = EN.desktop

// Each state is checked four times, which takes long on a slow machine.
test.describe.configure({ mode: 'parallel', timeout: 120_000 })
test.use({ reducedMotion: 'reduce', viewport: DESKTOP })
test.beforeEach(async ({ page }) => {
  await clearData()
  await stopClock(page)
})

/** Opens a page and waits until it is complete. */
async function open(page: Page, route: string): Promise<void> {
  await page.goto(route)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText('Cargando eventos…')).toHaveCount(0)
}

for (const route of [...PUBLIC_PATHS, '/sin-conexion', '/boletin/baja', '/no-existe']) {
  test(`axe: ${route}`, async ({ page }) => {
    await seed('uno', '2027-09-20', '19:30', { price: 0, featuredArtist: 'Coro Infantil' })
    await open(page, route)
    await review(page, route)
  })
}

test('axe: an event’s page, and one that is not there', async ({ page }) => {
  await seed('uno', '2027-09-20', '19:30', { price: 1500, featuredArtist: 'Coro Infantil' })
  await open(page, '/eventos/uno')
  await review(page, 'event')
  await open(page, '/eventos/ninguno')
  // The shell that is served first contains only the message that the page was not found.
  await expect(page.getByText('Este evento no existe o fue retirado.')).toBeVisible()
  await review(page, 'no event')
})

test('axe: the open menu, and each of its parts', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await open(page, '/')
  await page.getByRole('button', { name: 'Abrir menú' }).click()
  await review(page, 'menu', EN.phone)
  for (const name of ['Informaciones', 'Programas']) {
    await page.getByRole('button', { name: name }).click()
    await review(page, `menu, ${name}`, EN.phone)
  }
})

test('axe: each open dropdown', async ({ page }) => {
  await open(page, '/historia')
  for (const name of ['Informaciones', 'Programas']) {
    await page.getByRole('button', { name: name }).click()
    await expect(page.getByRole('button', { name: name })).toHaveAttribute('aria-expanded', 'true')
    await review(page, name, EN.desktop)
    await page.keyboard.press('Escape')
  }
})

test('axe: the dialog of an event', async ({ page }) => {
  await seed('uno', '2027-09-20', '19:30', { price: 1500, featuredArtist: 'Coro', imageUrl: '/ilustraciones/evento-1.svg' })
  await open(page, '/')
  await page.getByRole('button', { name: 'Más información' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await review(page, 'event dialog')
})

test('axe: the dialog of a program', async ({ page }) => {
  await open(page, '/programas')
  await page
    .getByRole('button', { name: /^Ver Detalles/ })
    .first()
    .click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await review(page, 'program dialog')
})

for (const route of ['/ensambles', '/voluntarios', '/instrumentos']) {
  test(`axe: an open answer on ${route}`, async ({ page }) => {
    await open(page, route)
    await page.locator('main summary').first().click()
    await expect(page.locator('main details[open]')).toHaveCount(1)
    await review(page, 'open answer')
  })
}

/** The forms: their page, their button, and their fields' values. */
const forms: [string, string, Record<string, string>][] = [
  ['/', 'Suscribirme', { 'Correo electrónico': 'a@x.do' }],
  ['/contacto', 'Enviar mensaje', { Nombre: 'Ana', 'Correo electrónico': 'a@x.do', Asunto: 'Hola', Mensaje: 'Hola' }],
  ['/voluntarios', 'Enviar solicitud', { 'Nombre completo': 'Ana', 'Correo electrónico': 'a@x.do', Teléfono: '809' }],
  ['/instrumentos', 'Enviar solicitud', { 'Nombre completo': 'Ana', 'Correo electrónico': 'a@x.do', Mensaje: 'Hola' }],
]

for (const [route, buttonClasses, fields] of forms) {
  test(`axe: the form of ${route} with an error, then with success`, async ({ page }) => {
    await open(page, route)
    const main = page.getByRole('main')
    await main.getByRole('button', { name: buttonClasses }).click()
    await expect(page.getByRole('alert')).toBeVisible()
    await review(page, 'error')
    for (const [label, text] of Object.entries(fields)) await main.getByLabel(label, { exact: true }).fill(text)
    await main.getByRole('button', { name: buttonClasses }).click()
    await expect(page.getByRole('status').getByText(/¡Gracias!/)).toBeVisible()
    await review(page, 'success')
  })
}

test('axe: a chosen day of the calendar, in both views, with and without events', async ({ page }) => {
  await seed('uno', '2027-09-20', '19:30', { price: 0, featuredArtist: 'Coro', imageUrl: '/ilustraciones/evento-1.svg' })
  await open(page, '/calendario')
  await page
    .getByRole('gridcell')
    .getByRole('button', { name: /lunes 20 de septiembre/ })
    .click()
  await expect(page.getByRole('link', { name: 'Agregar a Google Calendar' })).toBeVisible()
  await review(page, 'day with an event')
  await page
    .getByRole('gridcell')
    .getByRole('button', { name: /martes 21 de septiembre/ })
    .click()
  await expect(page.getByText('No hay eventos este día.')).toBeVisible()
  await review(page, 'day without events')
  await page.getByRole('button', { name: 'Semana', exact: true }).click()
  await review(page, 'week')
})

test('axe: the map, once it is asked for', async ({ page }) => {
  await page.route('https://www.openstreetmap.org/**', (route) => route.fulfill({ contentType: 'text/html', body: 'mapa' }))
  await open(page, '/contacto')
  await page.getByRole('button', { name: 'Mostrar mapa' }).click()
  await expect(page.getByTitle('Mapa: cómo llegar')).toBeVisible()
  await review(page, 'map')
})
