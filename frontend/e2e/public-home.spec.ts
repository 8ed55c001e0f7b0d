import { expect, test } from '@playwright/test'
import { erase, list } from './admin-world'
import { countWrites, expectForm, stopClock, hold, seed, clearData } from './public-world'

test.beforeEach(async ({ page }) => {
  await clearData()
  await stopClock(page)
})

test.describe('the carousel', () => {
  const current = '[aria-label^="Ir a la imagen"][aria-current]'

  test('S-012 has six images and moves by itself every five seconds', async ({ page }) => {
    await page.goto('/')
    const gallery = page.getByRole('region', { name: 'Galería principal' })
    await expect(gallery.getByRole('group', { name: /^\d de 6$/ })).toHaveCount(6)
    await expect(gallery.getByRole('button', { name: /^Ir a la imagen \d$/ })).toHaveCount(6)
    await expect(gallery.getByRole('img')).toHaveCount(6)
    for (const next of [2, 3]) {
      await expect(gallery.locator(current)).toHaveAttribute('aria-label', `Ir a la imagen ${next}`, { timeout: 30_000 })
    }
  })

  test('S-013 wraps both ways, by its buttons and dots', async ({ page }) => {
    await page.goto('/')
    const gallery = page.getByRole('region', { name: 'Galería principal' })
    await gallery.getByRole('button', { name: 'Imagen anterior' }).click()
    await expect(gallery.locator(current)).toHaveAttribute('aria-label', 'Ir a la imagen 6')
    await gallery.getByRole('button', { name: 'Imagen siguiente' }).click()
    await expect(gallery.locator(current)).toHaveAttribute('aria-label', 'Ir a la imagen 1')
    await gallery.getByRole('button', { name: 'Ir a la imagen 4' }).click()
    await expect(gallery.locator(current)).toHaveAttribute('aria-label', 'Ir a la imagen 4')
  })

  test('S-014 can be paused', async ({ page }) => {
    await page.clock.install()
    await page.goto('/')
    const gallery = page.getByRole('region', { name: 'Galería principal' })
    await gallery.getByRole('button', { name: 'Pausar' }).click()
    await page.mouse.move(5, 790)
    await expect(gallery.getByRole('button', { name: 'Reanudar' })).toBeVisible()
    const before = await gallery.locator(current).getAttribute('aria-label')
    // Nothing may happen during two intervals.
    await page.clock.runFor(11_000)
    await expect(gallery.locator(current)).toHaveAttribute('aria-label', before ?? '')
  })

  test('P-09 does not move with reduced motion', async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto('/')
    await expect(page.getByRole('region', { name: 'Galería principal' }).getByRole('button', { name: 'Reanudar' })).toBeVisible()
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
  })
})

test('S-016 S-022 says who we are and what others say', async ({ page }) => {
  const fetched: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/tira-')) fetched.push(request.url())
  })
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Todo por Medio de la Música')
  await expect(page.getByText(/^Somos una fundación dominicana sin fines de lucro.{20,}/)).toBeVisible()
  await expect(page.getByText('Donde hay música, hay futuro.')).toBeVisible()
  const voices = page.getByRole('region', { name: 'Lo que dicen de nosotros' }).getByRole('figure')
  await expect(voices).toHaveCount(3)
  await expect(voices.nth(0)).toContainText(/colaborador/i)
  await expect(voices.nth(1)).toContainText(/directora? ejecutiv[oa] de otra fundación/i)
  await expect(voices.nth(2)).toContainText(/(?:padre|madre) de un estudiante/i)
  // The pictures of the strip are loaded when the visitor scrolls near it.
  const strip = page.getByRole('region', { name: 'Nuestra Inspiración' })
  expect(fetched).toEqual([])
  await strip.scrollIntoViewIfNeeded()
  await expect(strip.getByRole('img')).toHaveCount(10)
  await expect.poll(() => fetched.length).toBeGreaterThan(0)
})

test('S-017 shows the next three events, the nearest first, live', async ({ page }) => {
  await Promise.all(
    ['20', '18', '22', '19', '21']
      .map((day) => seed(`f${day}`, `2027-09-${day}`, '19:30'))
      .concat([seed('p1', '2027-09-14', '19:30'), seed('p2', '2027-09-15', '13:00')]),
  )
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/')
  const events = page.getByRole('region', { name: 'Próximos eventos' })
  await expect(events.getByRole('heading', { level: 3 })).toHaveText(['Evento f18', 'Evento f19', 'Evento f20'])
  await expect(events.getByText('18 SEP 2027 • 19:30')).toBeVisible()
  await expect(events.getByText('Descripción de f18')).toBeVisible()
  await expect(events.getByRole('button', { name: 'Más información' })).toHaveCount(3)
  const columns = () =>
    events.getByRole('listitem').evaluateAll((cards) => new Set(cards.map((card) => card.getBoundingClientRect().left)).size)
  expect(await columns()).toBe(3)
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await columns()).toBe(1)
  await erase('MusicEvent/f18')
  await expect(events.getByRole('heading', { level: 3 })).toHaveText(['Evento f19', 'Evento f20', 'Evento f21'])
})

test('S-019 shows that events are loading', async ({ page }) => {
  await seed('f18', '2027-09-18', '19:30')
  let release = () => undefined as void
  const pause = new Promise<void>((ready) => {
    release = ready
  })
  await page.route('**/google.firestore*/**', async (route) => {
    await pause
    await route.continue()
  })
  await page.goto('/')
  await expect(page.getByText('Cargando eventos…')).toBeVisible()
  release()
  await expect(page.getByRole('heading', { name: 'Evento f18' })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('Cargando eventos…')).toHaveCount(0)
})

test('S-020 promises events when there are none', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByText('Pronto anunciaremos nuevos eventos.')).toBeVisible()
  await expect(page.getByText('Cargando eventos…')).toHaveCount(0)
})

test('S-021 shows an unreachable server as no events', async ({ page }) => {
  await page.route('**/google.firestore*/**', (route) => route.abort())
  await page.goto('/')
  await expect(page.getByText('Pronto anunciaremos nuevos eventos.')).toBeVisible({ timeout: 30_000 })
})

test.describe('the event’s modal', () => {
  test('S-024 S-113 closes by X, backdrop, Escape and Back, and gives the focus back', async ({ page }) => {
    await seed('f18', '2027-09-18', '19:30')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto('/')
    const buttonClasses = page.getByRole('button', { name: 'Más información' })
    const windowOf = page.getByRole('dialog', { name: 'Evento f18' })
    const closings = [
      () => windowOf.getByRole('button', { name: 'Cerrar' }).click(),
      () => page.mouse.click(20, 400),
      () => page.keyboard.press('Escape'),
      () => page.goBack(),
    ]
    for (const close of closings) {
      await buttonClasses.click()
      await expect(windowOf).toBeVisible()
      await expect(page).toHaveURL(/\/eventos\/f18$/)
      await expect(windowOf.getByRole('button', { name: 'Cerrar' })).toBeFocused()
      await close()
      await expect(windowOf).toBeHidden()
      await expect(buttonClasses).toBeFocused()
      await expect(page).toHaveURL(/\/$/)
    }
  })

  test('S-026 shows all fields of an event', async ({ page }) => {
    await seed('f18', '2027-09-18', '19:30', {
      title: 'Noche de son',
      location: 'Teatro Nacional & Sala 2',
      price: 1500,
      featuredArtist: 'Orquesta Sol',
      imageUrl: '/ilustraciones/evento-1.svg',
    })
    await page.goto('/')
    await page.getByRole('button', { name: 'Más información' }).click()
    const windowOf = page.getByRole('dialog', { name: 'Noche de son' })
    await expect(windowOf.getByRole('img', { name: 'Noche de son' })).toBeVisible()
    await expect(windowOf.getByText('18 SEP 2027 • 19:30')).toBeVisible()
    const box = (name: string) => windowOf.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) })
    await expect(box('Fecha').getByRole('definition')).toHaveText(['18 SEP 2027', 'sábado'])
    await expect(box('Hora').getByRole('definition')).toHaveText(['19:30', /7:30\sp\.\sm\./])
    await expect(windowOf.getByText(/RD\$\s?1,500\.00/)).toBeVisible()
    await expect(windowOf.getByText('Orquesta Sol')).toBeVisible()
    await expect(windowOf.getByText('Descripción de f18')).toBeVisible()
    const place = windowOf.getByRole('link', { name: 'Ver ubicación' })
    await expect(place).toHaveAttribute('target', '_blank')
    expect(new URL((await place.getAttribute('href')) ?? '').searchParams.get('query')).toBe('Teatro Nacional & Sala 2')
  })

  test('S-027 shows a price of zero as free', async ({ page }) => {
    await seed('f18', '2027-09-18', '19:30', { price: 0 })
    await page.goto('/')
    await page.getByRole('button', { name: 'Más información' }).click()
    await expect(page.getByRole('dialog').getByText('Gratis')).toBeVisible()
  })

  test('S-028 shows dashes for missing fields', async ({ page }) => {
    await seed('f18', '2027-09-18', '19:30', { location: '', featuredArtist: '   ', date: 'no', time: 'no' })
    await page.goto('/')
    await page.getByRole('button', { name: 'Más información' }).click()
    const windowOf = page.getByRole('dialog')
    await expect(windowOf.getByRole('link', { name: 'Ver ubicación' })).toHaveCount(0)
    await expect(windowOf.getByText('Artista destacado')).toHaveCount(0)
    await expect(windowOf.getByRole('img')).toHaveCount(0)
    for (const box of ['Fecha', 'Hora', 'Lugar']) {
      await expect(windowOf.getByRole('term').filter({ hasText: box }).locator('xpath=following-sibling::dd')).toHaveText('—')
    }
  })
})

test.describe('the newsletter', () => {
  test('S-031 stores a clean address', async ({ page }) => {
    await page.goto('/')
    await page.getByLabel('Correo electrónico').fill('  Ana@Correo.DO ')
    await page.getByRole('button', { name: 'Suscribirme' }).click()
    await expect(page.getByRole('status').getByText('¡Gracias! Te hemos suscrito al boletín.')).toBeVisible()
    await expect(page.getByLabel('Correo electrónico')).toHaveValue('')
    const savedList = await list('Massive Boletin')
    expect(savedList).toHaveLength(1)
    expectForm(savedList[0], { email: 'ana@correo.do', source: 'homepage' })
  })

  test('S-032 refuses an invalid address', async ({ page }) => {
    const writes = countWrites(page)
    await page.goto('/')
    for (const wrongOne of ['', 'a@b', 'a b@c.d', '@x.y']) {
      await page.getByLabel('Correo electrónico').fill(wrongOne)
      await page.getByRole('button', { name: 'Suscribirme' }).click()
      await expect(page.getByRole('alert')).toHaveText('Ingresa un correo válido.')
      await expect(page.getByLabel('Correo electrónico')).toBeFocused()
      await expect(page.getByLabel('Correo electrónico')).toHaveAttribute('aria-invalid', 'true')
    }
    expect(writes.howMany()).toBe(0)
  })

  test('S-034 is busy while sending, reports a failure and keeps the text', async ({ page }) => {
    const writing = await hold(page, 'fails')
    await page.goto('/')
    await page.getByLabel('Correo electrónico').fill('ana@correo.do')
    await page.getByRole('button', { name: 'Suscribirme' }).click()
    await expect(page.getByRole('button', { name: 'Enviando…' })).toBeDisabled()
    writing.release()
    await expect(page.getByRole('alert')).toHaveText('No pudimos suscribirte. Intenta de nuevo.')
    await expect(page.getByLabel('Correo electrónico')).toHaveValue('ana@correo.do')
    await hold(page, 'fails')
    await page.getByRole('button', { name: 'Suscribirme' }).click()
    await expect(page.getByRole('alert')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Enviando…' })).toBeDisabled()
  })

  test('P-13 shows a robot the thanks and stores nothing', async ({ page }) => {
    const writes = countWrites(page)
    await page.goto('/')
    await page.getByLabel('Correo electrónico').fill('robot@correo.do')
    await page.locator('[name=sitio_web]').evaluate((field) => {
      if (field instanceof HTMLInputElement) field.value = 'http://robot'
    })
    await page.getByRole('button', { name: 'Suscribirme' }).click()
    await expect(page.getByRole('status').getByText('¡Gracias! Te hemos suscrito al boletín.')).toBeVisible()
    expect(writes.howMany()).toBe(0)
    expect(await list('Massive Boletin')).toEqual([])
  })
})
