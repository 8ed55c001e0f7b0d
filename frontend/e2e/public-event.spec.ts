import { expect, test } from '@playwright/test'
import { waitUntilLive, stopClock, seed, clearData } from './public-world'

test.beforeEach(async () => {
  await clearData()
  await seed('gala', '2027-09-05', '19:30', {
    title: 'Gala de "son" & <bolero>',
    description: 'Una noche de cuerdas.',
    price: 500,
    featuredArtist: 'Ana & Luis',
  })
})

/** The content of a meta element by its name in the HTML text, as messengers parse it. */
function content(html: string, name: string): string | undefined {
  const value = new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`).exec(html)?.[1]
  return value
    ?.replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll(/&#34;|&quot;/g, '"')
    .replaceAll('&amp;', '&')
}

test('a messenger shows the event of an address', async ({ request }) => {
  const answer = await request.get('/eventos/gala', { headers: { 'User-Agent': 'WhatsApp/2.24.6.77 A' } })
  expect(answer.status()).toBe(200)
  expect(answer.headers()).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, max-age=60',
    // With the official emulators, the tests' own server forwards to the back office, without the headers in firebase.json.
    ...(!('E2E_OFFICIAL' in process.env) && {
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'self'"),
    }),
  })
  const html = await answer.text()
  const title = 'Gala de "son" & <bolero> · Evento'
  expect(content(html, 'og:title')).toBe(title)
  expect(content(html, 'og:description')).toBe('05 SEP 2027 • 19:30. Una noche de cuerdas.')
  // «bolero» has a drawing of its own.
  expect(content(html, 'og:image')).toMatch(/^https:[^"]+\/ilustraciones\/og-evento-2\.png$/)
  expect((await request.get('/ilustraciones/og-evento-2.png')).headers()['content-type']).toBe('image/png')
  expect(content(html, 'og:url')).toMatch(/^https:.+\/eventos\/gala$/)
  expect(content(html, 'description')).toBe('05 SEP 2027 • 19:30. Una noche de cuerdas.')
  expect(content(html, 'robots')).toBe('index,follow')
  expect(html.match(/<title>/g)).toHaveLength(1)
  const data: unknown = JSON.parse(/<script type="application\/ld\+json"[^>]*>(.*?)<\/script>/s.exec(html)?.[1] ?? '')
  expect(data).toMatchObject({ '@type': 'Event', name: 'Gala de "son" & <bolero>', startDate: '2027-09-05T19:30:00-04:00' })
  const again = await request.get('/eventos/gala', { headers: { 'If-None-Match': answer.headers()['etag'] ?? '' } })
  expect(again.status()).toBe(304)
})

test('an event that is not there, or not published, is 404 with the site’s own page', async ({ request }) => {
  await seed('borrador', '2027-09-05', '19:30', { isPublished: false })
  for (const route of ['/eventos/ninguno', '/eventos/borrador', '/eventos/a%2Fb', '/eventos/__x__']) {
    const answer = await request.get(route)
    expect(answer.status(), route).toBe(404)
    const html = await answer.text()
    expect(html, route).toContain('Página no encontrada')
    expect(content(html, 'robots'), route).toBe('noindex')
  }
})

test('hydration keeps the event of the server’s page, and shows it once', async ({ page }) => {
  await stopClock(page)
  await page.goto('/eventos/gala')
  await waitUntilLive(page)
  await expect(page.getByRole('heading', { level: 1, name: 'Gala de "son" & <bolero>' })).toBeVisible()
  await expect(page).toHaveTitle('Gala de "son" & <bolero> · Evento')
  await expect(page.locator('script[type="application/ld+json"]')).toHaveCount(1)
  await page.getByRole('contentinfo').getByRole('link', { name: 'Privacidad' }).click()
  await expect(page).toHaveTitle(/^Privacidad/)
  await expect(page.locator('script[type="application/ld+json"]')).toHaveCount(0)
  await expect(page.locator('link[rel="canonical"]')).toHaveAttribute('href', /\/privacidad$/)
})

/** The shapes of events whose pages differ, by id. */
const SHAPES = {
  completo: { title: 'Voces', featuredArtist: 'Ana', price: 1234.5, description: 'Una línea.\r\nOtra & <más>.' },
  minimo: { title: 'Sin más', description: '', location: '' },
  largo: { title: 'Un título muy largo '.repeat(8), price: 0 },
  subida: { imageUrl: '/imagenes/a1-1200x800/960.webp', imageAlt: 'Una orquesta' },
  ajena: { imageUrl: '/ilustraciones/og-default.png' },
  ajeno: { date: '2027-01-02', time: '08:00' },
  pasado: { eventDate: new Date('2020-01-02T19:30:00-04:00'), date: '2020-01-02' },
  'sin fecha': { eventDate: null, date: '', time: '' },
  'año & más': { title: 'Con «comillas» y {{marcas}}' },
} satisfies Record<string, Record<string, unknown>>

for (const [id, fields] of Object.entries(SHAPES)) {
  test(`the server’s page of an event is what the scripts render: ${id}`, async ({ page }) => {
    await seed(id, '2027-09-05', '19:30', fields)
    // A picture that is not there would be replaced.
    const picture = await page.request.get('/ilustraciones/og-evento-1.png')
    await page.route(/\.(jpe?g|webp|avif)$/, async (route) => route.fulfill({ response: picture }))
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    // The page as the server has written it, before the scripts change it.
    await page.addInitScript(() => {
      addEventListener('DOMContentLoaded', () => {
        const main = document.querySelector('main')
        Object.assign(window, { before: main?.innerHTML, main })
      })
    })
    await page.goto(`/eventos/${encodeURIComponent(id)}`)
    await waitUntilLive(page)
    const { before, after, same } = await page.evaluate(() => {
      const main = document.querySelector('main')
      return {
        before: String(Reflect.get(window, 'before')),
        after: main?.querySelector('article')?.outerHTML ?? '',
        same: main !== null && Reflect.get(window, 'main') === main,
      }
    })
    expect(errors).toEqual([])
    expect(before).toBe(after)
    expect(same, 'the elements of the server’s page are kept').toBe(true)
  })
}

for (const width of [360, 768, 1280]) {
  test(`an event’s page does not move while it is loaded at ${width} px`, async ({ page }) => {
    await seed('fiesta', '2027-09-19', '19:30')
    await seed('otro', '2027-09-20', '19:30')
    await page.setViewportSize({ width, height: 800 })
    await stopClock(page)
    await page.addInitScript(() => {
      const shifts: number[] = []
      Object.assign(window, { shifts })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push(Number(Reflect.get(entry, 'value')))
      }).observe({ type: 'layout-shift', buffered: true })
    })
    await page.goto('/eventos/fiesta')
    await waitUntilLive(page)
    await expect(page.getByRole('heading', { name: 'También en la agenda' })).toBeVisible()
    const shift = await page.evaluate(() => (Reflect.get(window, 'shifts') as number[]).reduce((sum, value) => sum + value, 0))
    expect(shift).toBeLessThanOrEqual(0.02)
  })
}

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('an event’s page shows title, time, place and price', async ({ page }) => {
    await page.goto('/eventos/gala')
    await expect(page).toHaveTitle('Gala de "son" & <bolero> · Evento')
    await expect(page.getByRole('heading', { level: 1, name: 'Gala de "son" & <bolero>' })).toBeVisible()
    for (const text of ['05 SEP 2027 • 19:30', 'Teatro Nacional', 'Ana & Luis', 'RD$500.00', 'Una noche de cuerdas.']) {
      await expect(page.getByText(text, { exact: true })).toBeVisible()
    }
    // Nothing that only scripts make work.
    await expect(page.getByRole('main').getByRole('button')).toHaveCount(0)
    await expect(page.getByRole('main').getByRole('link', { name: 'Agregar a Google Calendar' })).toHaveAttribute(
      'href',
      /dates=20270905T233000Z\/20270906T013000Z/,
    )
  })
})
