import { expect, type Page, test } from '@playwright/test'
import { pararReloj, sembrar, vaciarDatos } from './publico-mundo'

test.beforeEach(async ({ page }) => {
  await vaciarDatos()
  await pararReloj(page)
  await page.setViewportSize({ width: 1280, height: 800 })
})

const dia = (page: Page, nombre: RegExp) => page.getByRole('gridcell').getByRole('button', { name: nombre })

/** The dots of a day, as their colours. */
const puntos = (page: Page, nombre: RegExp) =>
  dia(page, nombre)
    .locator('.punto')
    .evaluateAll((todos) => todos.map((punto) => getComputedStyle(punto).backgroundColor))

test('S-063 begins with the month of today, weeks on Monday', async ({ page }) => {
  await page.goto('/calendario')
  await expect(page.getByRole('heading', { level: 1, name: 'Calendario de Eventos' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'septiembre de 2027' })).toBeVisible()
  await expect(page.getByRole('columnheader').first()).toHaveAccessibleName('lunes')
  const dias = page.getByRole('gridcell').getByRole('button')
  await expect(dias.first()).toHaveAccessibleName('lunes 30 de agosto de 2027')
  await expect(dias.last()).toHaveAccessibleName('domingo 3 de octubre de 2027')
  await expect(page.getByRole('button', { name: 'Mes', exact: true })).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByRole('button', { name: 'Semana', exact: true })).toHaveAttribute('aria-pressed', 'false')
})

test('S-064 S-065 moves by months, by weeks, and back to today', async ({ page }) => {
  await page.goto('/calendario')
  for (let i = 0; i < 4; i++) await page.getByRole('button', { name: 'Mes siguiente' }).click()
  await page.getByRole('button', { name: 'Mes anterior' }).click()
  await expect(page.getByRole('heading', { name: 'diciembre de 2027' })).toBeVisible()
  await page.getByRole('button', { name: 'Hoy', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'septiembre de 2027' })).toBeVisible()
  await expect(dia(page, /15 de septiembre.*hoy$/)).toBeVisible()
  await page.getByRole('button', { name: 'Semana', exact: true }).click()
  await expect(page.getByRole('gridcell')).toHaveCount(7)
  await page.getByRole('button', { name: 'Semana siguiente' }).click()
  await expect(dia(page, /lunes 20 de septiembre/)).toBeVisible()
  await expect(page).toHaveURL(/vista=semana/)
})

test('S-066 marks today, days with events, and days of other months', async ({ page }) => {
  await sembrar('a', '2027-09-15', '20:00')
  await sembrar('b', '2027-09-18', '20:00')
  await page.goto('/calendario')
  await expect(dia(page, /15 de septiembre de 2027, 1 evento, hoy/)).toBeVisible()
  const [gris, rosa] = ['rgb(118, 134, 139)', 'rgb(214, 51, 108)']
  expect(await puntos(page, /15 de septiembre/)).toEqual([gris, rosa])
  expect(await puntos(page, /18 de septiembre/)).toEqual([rosa])
  expect(await puntos(page, /19 de septiembre/)).toEqual([])
  const color = (nombre: RegExp) => dia(page, nombre).evaluate((nodo) => getComputedStyle(nodo).color)
  expect(await color(/30 de agosto/)).not.toBe(await color(/miércoles 1 de septiembre/))
})

test('S-067 a click selects a day, another one drops it', async ({ page }) => {
  await sembrar('a', '2027-09-18', '18:00')
  await sembrar('b', '2027-09-18', '20:00')
  await page.goto('/calendario')
  const articulos = page.getByRole('article')
  await dia(page, /18 de septiembre de 2027, 2 eventos/).click()
  await expect(articulos).toHaveCount(2)
  await dia(page, /18 de septiembre/).click()
  await expect(articulos).toHaveCount(0)
  await dia(page, /19 de septiembre/).click()
  await expect(page.getByText('No hay eventos este día.')).toBeVisible()
})

test('S-068 S-069 tells all of a day’s events, with a link to keep each', async ({ page }) => {
  await sembrar('lleno', '2027-09-05', '19:30', {
    title: 'Niños & música',
    location: 'Teatro Ñ & Sala 2',
    price: 0,
    featuredArtist: 'Coro Infantil',
    imageUrl: '/ilustraciones/evento-2.svg',
    description: 'Canto & juego',
  })
  await sembrar('pobre', '2027-09-05', '20:30', { title: 'Ensayo', location: '', description: '' })
  await page.goto('/calendario')
  await dia(page, /domingo 5 de septiembre de 2027, 2 eventos/).click()
  const [lleno, pobre] = [page.getByRole('article').nth(0), page.getByRole('article').nth(1)]
  await expect(lleno.getByRole('img', { name: 'Niños & música' })).toBeVisible()
  await expect(lleno.getByText('05 SEP 2027 • 19:30')).toBeVisible()
  await expect(lleno.getByText('Gratis')).toBeVisible()
  await expect(lleno.getByText('Coro Infantil')).toBeVisible()
  await expect(lleno.getByText('Canto & juego')).toBeVisible()
  await expect(lleno.getByRole('link', { name: 'Ver ubicación' })).toBeVisible()
  const enlace = new URL((await lleno.getByRole('link', { name: 'Agregar a Google Calendar' }).getAttribute('href')) ?? '')
  expect(enlace.host).toBe('calendar.google.com')
  expect(Object.fromEntries(enlace.searchParams)).toEqual({
    action: 'TEMPLATE',
    text: 'Niños & música',
    dates: '20270905T233000Z/20270906T013000Z',
    details: 'Canto & juego',
    location: 'Teatro Ñ & Sala 2',
  })
  await expect(pobre.getByRole('heading', { name: 'Ensayo' })).toBeVisible()
  await expect(pobre.getByRole('img')).toHaveCount(0)
  await expect(pobre.getByRole('link', { name: 'Ver ubicación' })).toHaveCount(0)
  await expect(pobre.getByText(/Precio|Artista/)).toHaveCount(0)
})

test('S-071 tells that it loads, and takes an unreachable server for none', async ({ page }) => {
  let soltar = () => undefined as void
  const espera = new Promise<void>((listo) => {
    soltar = listo
  })
  await page.route('**/google.firestore*/**', async (ruta) => {
    await espera
    await ruta.abort()
  })
  await page.goto('/calendario')
  // Said once, not in every part that waits.
  await expect(page.getByText('Cargando eventos…')).toBeVisible()
  await expect(page.getByText('Cargando eventos…')).toHaveCount(1)
  soltar()
  await expect(page.getByText('Cargando eventos…')).toHaveCount(0, { timeout: 20_000 })
  await expect(page.getByText('No hay eventos próximos en este rango.')).toBeVisible()
})

test('S-072 S-073 features the next three of the range', async ({ page }) => {
  for (const fecha of ['2027-09-20', '2027-09-16', '2027-09-25', '2027-09-28', '2027-10-02', '2027-09-14', '2027-09-02']) {
    await sembrar(fecha, fecha, '19:30')
  }
  await page.goto('/calendario')
  const destacados = page.getByRole('region', { name: 'Próximos Eventos Destacados' })
  await expect(destacados.getByRole('heading', { level: 3 })).toHaveText(['Evento 2027-09-16', 'Evento 2027-09-20', 'Evento 2027-09-25'])
  await expect(destacados.getByRole('link', { name: 'Agendar →' })).toHaveCount(3)
  for (const boton of ['Mes anterior', 'Mes siguiente']) {
    await page.getByRole('button', { name: boton }).click()
    if (boton === 'Mes anterior') await expect(destacados.getByText('No hay eventos próximos en este rango.')).toBeVisible()
  }
  await page.getByRole('button', { name: 'Mes siguiente' }).click()
  await page.getByRole('button', { name: 'Mes siguiente' }).click()
  await expect(destacados.getByText('No hay eventos próximos en este rango.')).toBeVisible()
})

test('P-10 the grid is walked by keys and leaves by Tab', async ({ page }) => {
  await page.goto('/calendario')
  await dia(page, /15 de septiembre/).focus()
  const pasos: [string, RegExp][] = [
    ['ArrowRight', /16 de septiembre/],
    ['ArrowDown', /23 de septiembre/],
    ['Home', /20 de septiembre/],
    ['End', /26 de septiembre/],
    ['ArrowUp', /19 de septiembre/],
    ['ArrowLeft', /18 de septiembre/],
    ['PageDown', /18 de octubre/],
    ['PageUp', /18 de septiembre/],
  ]
  for (const [tecla, nombre] of pasos) {
    await page.keyboard.press(tecla)
    await expect(dia(page, nombre)).toBeFocused()
  }
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: /Eventos del sábado 18 de septiembre/ })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('gridcell').locator(':focus')).toHaveCount(0)
})

test.describe('an event’s own page', () => {
  test('S-113 is there by its address, with a file for calendars', async ({ page }) => {
    await sembrar('gala', '2027-09-05', '19:30', { title: 'Gala de son', price: 500 })
    await page.goto('/eventos/gala')
    await expect(page.getByRole('heading', { level: 1, name: 'Gala de son' })).toBeVisible()
    await expect(page.getByText('05 SEP 2027 • 19:30')).toBeVisible()
    await expect(page).toHaveTitle('Gala de son · Evento')
    const datos: unknown = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? '')
    expect(datos).toMatchObject({ '@type': 'Event', name: 'Gala de son', startDate: '2027-09-05T19:30:00-04:00' })
    const descarga = page.waitForEvent('download')
    await page.getByRole('button', { name: /\.ics/ }).click()
    const archivo = await descarga
    const lector = await archivo.createReadStream()
    let texto = ''
    for await (const trozo of lector) texto += String(trozo)
    expect(texto).toContain('DTSTART:20270905T233000Z\r\nDTEND:20270906T013000Z')
  })

  test('an event that is not there is not found', async ({ page }) => {
    await page.goto('/eventos/ninguno')
    await expect(page.getByRole('heading', { level: 1, name: 'Página no encontrada' })).toBeVisible()
    await expect(page.getByText('Este evento no existe o fue retirado.')).toBeVisible()
    await expect(page).toHaveTitle(/^Página no encontrada/)
    await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex')
  })
})
