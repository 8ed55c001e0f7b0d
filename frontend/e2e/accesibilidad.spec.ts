import { expect, type Page, test } from '@playwright/test'
import { PUBLICAS } from '../src/meta'
import { EN, revisar } from './axe'
import { pararReloj, sembrar, vaciarDatos } from './publico-mundo'

const [TELEFONO] = EN.telefono
const [ESCRITORIO] = EN.escritorio

// Four looks at each state: a slow machine needs its time.
test.describe.configure({ mode: 'parallel', timeout: 120_000 })
test.use({ reducedMotion: 'reduce', viewport: ESCRITORIO })
test.beforeEach(async ({ page }) => {
  await vaciarDatos()
  await pararReloj(page)
})

/** Opens a page and waits until it has what it will have. */
async function abrir(page: Page, ruta: string): Promise<void> {
  await page.goto(ruta)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText('Cargando eventos…')).toHaveCount(0)
}

for (const ruta of [...PUBLICAS, '/no-existe']) {
  test(`axe: ${ruta}`, async ({ page }) => {
    await sembrar('uno', '2027-09-20', '19:30', { price: 0, featuredArtist: 'Coro Infantil' })
    await abrir(page, ruta)
    await revisar(page, ruta)
  })
}

test('axe: an event’s page, and one that is not there', async ({ page }) => {
  await sembrar('uno', '2027-09-20', '19:30', { price: 1500, featuredArtist: 'Coro Infantil' })
  await abrir(page, '/eventos/uno')
  await revisar(page, 'event')
  await abrir(page, '/eventos/ninguno')
  await revisar(page, 'no event')
})

test('axe: the open menu, and each of its parts', async ({ page }) => {
  await page.setViewportSize(TELEFONO)
  await abrir(page, '/')
  await page.getByRole('button', { name: 'Abrir menú' }).click()
  await revisar(page, 'menu', EN.telefono)
  for (const nombre of ['Informaciones', 'Programas']) {
    await page.getByRole('button', { name: nombre }).click()
    await revisar(page, `menu, ${nombre}`, EN.telefono)
  }
})

test('axe: each open dropdown', async ({ page }) => {
  await abrir(page, '/historia')
  for (const nombre of ['Informaciones', 'Programas']) {
    await page.getByRole('button', { name: nombre }).click()
    await expect(page.getByRole('button', { name: nombre })).toHaveAttribute('aria-expanded', 'true')
    await revisar(page, nombre, EN.escritorio)
    await page.keyboard.press('Escape')
  }
})

test('axe: the dialog of an event', async ({ page }) => {
  await sembrar('uno', '2027-09-20', '19:30', { price: 1500, featuredArtist: 'Coro', imageUrl: '/ilustraciones/evento-1.svg' })
  await abrir(page, '/')
  await page.getByRole('button', { name: 'Más información' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await revisar(page, 'event dialog')
})

test('axe: the dialog of a program', async ({ page }) => {
  await abrir(page, '/programas')
  await page
    .getByRole('button', { name: /^Ver Detalles/ })
    .first()
    .click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await revisar(page, 'program dialog')
})

for (const ruta of ['/ensambles', '/voluntarios', '/instrumentos']) {
  test(`axe: an open answer on ${ruta}`, async ({ page }) => {
    await abrir(page, ruta)
    await page.locator('main summary').first().click()
    await expect(page.locator('main details[open]')).toHaveCount(1)
    await revisar(page, 'open answer')
  })
}

/** Each form: where it is, its button, and what fills it. */
const formularios: [string, string, Record<string, string>][] = [
  ['/', 'Suscribirme', { 'Correo electrónico': 'a@x.do' }],
  ['/contacto', 'Enviar mensaje', { Nombre: 'Ana', 'Correo electrónico': 'a@x.do', Asunto: 'Hola', Mensaje: 'Hola' }],
  ['/voluntarios', 'Enviar solicitud', { 'Nombre completo': 'Ana', 'Correo electrónico': 'a@x.do', Teléfono: '809' }],
  ['/instrumentos', 'Enviar solicitud', { 'Nombre completo': 'Ana', 'Correo electrónico': 'a@x.do', Mensaje: 'Hola' }],
]

for (const [ruta, boton, campos] of formularios) {
  test(`axe: the form of ${ruta} with an error, then with success`, async ({ page }) => {
    await abrir(page, ruta)
    const principal = page.getByRole('main')
    await principal.getByRole('button', { name: boton }).click()
    await expect(page.getByRole('alert')).toBeVisible()
    await revisar(page, 'error')
    for (const [etiqueta, texto] of Object.entries(campos)) await principal.getByLabel(etiqueta, { exact: true }).fill(texto)
    await principal.getByRole('button', { name: boton }).click()
    await expect(page.getByRole('status').getByText(/¡Gracias!/)).toBeVisible()
    await revisar(page, 'success')
  })
}

test('axe: a chosen day of the calendar, in both views, with and without events', async ({ page }) => {
  await sembrar('uno', '2027-09-20', '19:30', { price: 0, featuredArtist: 'Coro', imageUrl: '/ilustraciones/evento-1.svg' })
  await abrir(page, '/calendario')
  await page
    .getByRole('gridcell')
    .getByRole('button', { name: /lunes 20 de septiembre/ })
    .click()
  await expect(page.getByRole('link', { name: 'Agregar a Google Calendar' })).toBeVisible()
  await revisar(page, 'day with an event')
  await page
    .getByRole('gridcell')
    .getByRole('button', { name: /martes 21 de septiembre/ })
    .click()
  await expect(page.getByText('No hay eventos este día.')).toBeVisible()
  await revisar(page, 'day without events')
  await page.getByRole('button', { name: 'Semana', exact: true }).click()
  await revisar(page, 'week')
})

test('axe: the map, once it is asked for', async ({ page }) => {
  await page.route('https://www.openstreetmap.org/**', (ruta) => ruta.fulfill({ contentType: 'text/html', body: 'mapa' }))
  await abrir(page, '/contacto')
  await page.getByRole('button', { name: 'Mostrar mapa' }).click()
  await expect(page.getByTitle('Mapa: cómo llegar')).toBeVisible()
  await revisar(page, 'map')
})
