import { expect, type Page, test } from '@playwright/test'
import { stopClock, seed, clearData, waitUntilLive } from './public-world'

test.beforeEach(async ({ page }) => {
  await clearData()
  await stopClock(page)
  await page.setViewportSize({ width: 1280, height: 800 })
})

const day = (page: Page, name: RegExp) => page.getByRole('gridcell').getByRole('button', { name: name })

/** The colours of a day's dots. */
const points = (page: Page, name: RegExp) =>
  day(page, name)
    .locator('.punto')
    .evaluateAll((all) => all.map((point) => getComputedStyle(point).backgroundColor))

test('S-063 begins with the month of today, weeks on Monday', async ({ page }) => {
  await page.goto('/calendario')
  await expect(page.getByRole('heading', { level: 1, name: 'Calendario de Eventos' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'septiembre de 2027' })).toBeVisible()
  await expect(page.getByRole('columnheader').first()).toHaveAccessibleName('lunes')
  const days = page.getByRole('gridcell').getByRole('button')
  await expect(days.first()).toHaveAccessibleName('lunes 30 de agosto de 2027')
  await expect(days.last()).toHaveAccessibleName('domingo 3 de octubre de 2027')
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
  await expect(day(page, /15 de septiembre.*hoy$/)).toBeVisible()
  await page.getByRole('button', { name: 'Semana', exact: true }).click()
  await expect(page.getByRole('gridcell')).toHaveCount(7)
  await page.getByRole('button', { name: 'Semana siguiente' }).click()
  await expect(day(page, /lunes 20 de septiembre/)).toBeVisible()
  await expect(page).toHaveURL(/vista=semana/)
})

test('S-065 a week shows the events that the month has received at once', async ({ page }) => {
  await seed('a', '2027-09-16', '20:00')
  await page.goto('/calendario')
  const side = page.locator('.calendario-lado')
  await expect(side.getByRole('button', { name: /Evento a/ })).toBeVisible()
  // Whether the grid shows the week, and whether the event is in it or beside it, after every change.
  const states = await side.evaluateHandle((aside) => {
    const node = aside.closest('.calendario')
    const list: { week: boolean; shown: boolean }[] = []
    const look = () =>
      list.push({ week: !!document.querySelector('.cuadricula-semana'), shown: node?.textContent.includes('Evento a') ?? false })
    new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true })
    return list
  })
  await page.getByRole('button', { name: 'Semana', exact: true }).click()
  await expect(page.getByRole('grid').getByText('Evento a')).toBeVisible()
  await expect(page.getByText('Cargando eventos…')).toHaveCount(0)
  const seen = await states.jsonValue()
  expect(seen.some(({ week }) => week)).toBe(true)
  expect(seen.filter(({ shown }) => !shown)).toEqual([])
})

test('S-066 marks today, days with events, and days of other months', async ({ page }) => {
  await seed('a', '2027-09-15', '20:00')
  await seed('b', '2027-09-18', '20:00')
  await page.goto('/calendario')
  await expect(day(page, /15 de septiembre de 2027, 1 evento, hoy/)).toBeVisible()
  const [grey, rose] = ['rgb(118, 134, 139)', 'rgb(214, 51, 108)']
  expect(await points(page, /15 de septiembre/)).toEqual([grey, rose])
  expect(await points(page, /18 de septiembre/)).toEqual([rose])
  expect(await points(page, /19 de septiembre/)).toEqual([])
  const color = (name: RegExp) => day(page, name).evaluate((node) => getComputedStyle(node).color)
  expect(await color(/30 de agosto/)).not.toBe(await color(/miércoles 1 de septiembre/))
})

for (const width of [360, 640, 1280]) {
  test(`S-112 the days of a week hold their texts and do not overlap at ${width} px`, async ({ page }) => {
    await seed('uno', '2027-09-15', '19:30', { title: 'Concierto de fin de temporada con invitados' })
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/calendario?vista=semana&fecha=2027-09-15')
    await expect(page.getByRole('grid').getByText('Concierto de fin')).toBeVisible()
    const days = await page.getByRole('gridcell').evaluateAll((cells) =>
      cells.map((cell) => {
        const { left, right, top, bottom, height } = cell.getBoundingClientRect()
        const inner = [...cell.querySelectorAll('*')].map((part) => part.getBoundingClientRect())
        return { left, right, top, bottom, height, excess: Math.max(...inner.map((box) => box.bottom)) - bottom }
      }),
    )
    expect(days).toHaveLength(7)
    const titles = await page.locator('.dia-titulos').first().boundingBox()
    // The days are lines: a title has nearly the whole width, and no column is empty from top to bottom.
    expect(titles?.width).toBeGreaterThanOrEqual(180)
    expect(new Set(days.map(({ left }) => Math.round(left))).size).toBe(1)
    for (const [i, { height, excess, left, top }] of days.entries()) {
      expect(height, `day ${i}`).toBeGreaterThanOrEqual(44)
      expect(excess, `texts of day ${i}`).toBeLessThanOrEqual(1)
      const before = days[i - 1]
      if (before) expect(left >= before.right - 1 || top >= before.bottom - 1, `days ${i - 1} and ${i}`).toBe(true)
    }
  })
}

test('S-067 a click selects a day, another one drops it', async ({ page }) => {
  await seed('a', '2027-09-18', '18:00')
  await seed('b', '2027-09-18', '20:00')
  await page.goto('/calendario')
  const articles = page.getByRole('article')
  await day(page, /18 de septiembre de 2027, 2 eventos/).click()
  await expect(articles).toHaveCount(2)
  await day(page, /18 de septiembre/).click()
  await expect(articles).toHaveCount(0)
  await day(page, /19 de septiembre/).click()
  await expect(page.getByText('No hay eventos este día.')).toBeVisible()
})

test('S-068 S-069 shows all events of a day, with a calendar link for each', async ({ page }) => {
  await seed('lleno', '2027-09-05', '19:30', {
    title: 'Niños & música',
    location: 'Teatro Ñ & Sala 2',
    price: 0,
    featuredArtist: 'Coro Infantil',
    imageUrl: '/ilustraciones/evento-2.svg',
    description: 'Canto & juego',
  })
  await seed('pobre', '2027-09-05', '20:30', { title: 'Ensayo', location: '', description: '' })
  await page.goto('/calendario')
  await day(page, /domingo 5 de septiembre de 2027, 2 eventos/).click()
  const [full, poor] = [page.getByRole('article').nth(0), page.getByRole('article').nth(1)]
  await expect(full.getByRole('img', { name: 'Niños & música' })).toBeVisible()
  await expect(full.getByText('05 SEP 2027 • 19:30')).toBeVisible()
  await expect(full.getByText('Gratis')).toBeVisible()
  await expect(full.getByText('Coro Infantil')).toBeVisible()
  await expect(full.getByText('Canto & juego')).toBeVisible()
  await expect(full.getByRole('link', { name: 'Ver ubicación' })).toBeVisible()
  const link = new URL((await full.getByRole('link', { name: 'Agregar a Google Calendar' }).getAttribute('href')) ?? '')
  expect(link.host).toBe('calendar.google.com')
  expect(Object.fromEntries(link.searchParams)).toEqual({
    action: 'TEMPLATE',
    text: 'Niños & música',
    dates: '20270905T233000Z/20270906T013000Z',
    details: 'Canto & juego',
    location: 'Teatro Ñ & Sala 2',
  })
  await expect(poor.getByRole('heading', { name: 'Ensayo' })).toBeVisible()
  await expect(poor.getByRole('img')).toHaveCount(0)
  await expect(poor.getByRole('link', { name: 'Ver ubicación' })).toHaveCount(0)
  await expect(poor.getByText(/Precio|Artista/)).toHaveCount(0)
})

test('S-071 shows that it is loading, and an unreachable server as no events', async ({ page }) => {
  let release = () => undefined as void
  const pause = new Promise<void>((ready) => {
    release = ready
  })
  await page.route('**/google.firestore*/**', async (route) => {
    await pause
    await route.abort()
  })
  await page.goto('/calendario')
  // Only once, not in every part that is loading.
  await expect(page.getByText('Cargando eventos…')).toBeVisible()
  await expect(page.getByText('Cargando eventos…')).toHaveCount(1)
  release()
  await expect(page.getByText('Cargando eventos…')).toHaveCount(0, { timeout: 20_000 })
  await expect(page.getByText('No hay eventos próximos en este rango.')).toBeVisible()
})

test('S-072 S-073 features the next three of the range', async ({ page }) => {
  for (const date of ['2027-09-20', '2027-09-16', '2027-09-25', '2027-09-28', '2027-10-02', '2027-09-14', '2027-09-02']) {
    await seed(date, date, '19:30')
  }
  await page.goto('/calendario')
  const featured = page.getByRole('region', { name: 'Próximos Eventos Destacados' })
  await expect(featured.getByRole('heading', { level: 3 })).toHaveText(['Evento 2027-09-16', 'Evento 2027-09-20', 'Evento 2027-09-25'])
  await expect(featured.getByRole('link', { name: 'Agendar →' })).toHaveCount(3)
  for (const buttonClasses of ['Mes anterior', 'Mes siguiente']) {
    await page.getByRole('button', { name: buttonClasses }).click()
    if (buttonClasses === 'Mes anterior') await expect(featured.getByText('No hay eventos próximos en este rango.')).toBeVisible()
  }
  await page.getByRole('button', { name: 'Mes siguiente' }).click()
  await page.getByRole('button', { name: 'Mes siguiente' }).click()
  await expect(featured.getByText('No hay eventos próximos en este rango.')).toBeVisible()
})

test('P-10 the grid is operated by keys, and Tab leaves it', async ({ page }) => {
  await page.goto('/calendario')
  await day(page, /15 de septiembre/).focus()
  const steps: [string, RegExp][] = [
    ['ArrowRight', /16 de septiembre/],
    ['ArrowDown', /23 de septiembre/],
    ['Home', /20 de septiembre/],
    ['End', /26 de septiembre/],
    ['ArrowUp', /19 de septiembre/],
    ['ArrowLeft', /18 de septiembre/],
    ['PageDown', /18 de octubre/],
    ['PageUp', /18 de septiembre/],
  ]
  for (const [key, name] of steps) {
    await page.keyboard.press(key)
    await expect(day(page, name)).toBeFocused()
  }
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: /Eventos del sábado 18 de septiembre/ })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('gridcell').locator(':focus')).toHaveCount(0)
})

test.describe('an event’s own page', () => {
  test('S-113 has its own address, with a file for calendars', async ({ page }) => {
    await seed('gala', '2027-09-05', '19:30', { title: 'Gala de son', price: 500 })
    await page.goto('/eventos/gala')
    await expect(page.getByRole('heading', { level: 1, name: 'Gala de son' })).toBeVisible()
    await expect(page.getByText('05 SEP 2027 • 19:30')).toBeVisible()
    await expect(page).toHaveTitle('Gala de son · Evento')
    const data: unknown = JSON.parse((await page.locator('script[type="application/ld+json"]').textContent()) ?? '')
    expect(data).toMatchObject({ '@type': 'Event', name: 'Gala de son', startDate: '2027-09-05T19:30:00-04:00' })
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: /\.ics/ }).click()
    const file = await download
    const reader = await file.createReadStream()
    let text = ''
    for await (const chunk of reader) text += String(chunk)
    expect(text).toContain('DTSTART:20270905T233000Z\r\nDTEND:20270906T013000Z')
  })

  test('an event that is not there is not found', async ({ page }) => {
    await page.goto('/eventos/ninguno')
    await expect(page.getByRole('heading', { level: 1, name: 'Página no encontrada' })).toBeVisible()
    await expect(page.getByText('Este evento no existe o fue retirado.')).toBeVisible()
    await expect(page).toHaveTitle(/^Página no encontrada/)
    await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex')
  })
})

test('N-04 without answers of the server old events are marked, although the browser has a connection', async ({ page }) => {
  await seed('gala', '2027-09-20', '19:30', { title: 'Gala de otoño' })
  await page.goto('/calendario')
  await waitUntilLive(page)
  const event = page.getByRole('main').getByText('Gala de otoño').first()
  const notice = page.getByText('Sin conexión. Mostrando lo último recibido.')
  await expect(event).toBeVisible()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('eventos-vistos') ?? '')).toContain('Gala de otoño')
  await expect(notice).toBeHidden()
  const data = /\/(?:google\.firestore\.v1\.Firestore|v1)\//
  await page.route(data, (route) => route.abort())
  await page.reload()
  await expect(event).toBeVisible({ timeout: 40_000 })
  await expect(notice).toBeVisible({ timeout: 40_000 })
  expect(await page.evaluate(() => navigator.onLine)).toBe(true)
  await page.unroute(data)
  await expect(notice).toBeHidden({ timeout: 80_000 })
  await expect(event).toBeVisible()
})
