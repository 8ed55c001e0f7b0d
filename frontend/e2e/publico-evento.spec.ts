import { expect, test } from '@playwright/test'
import { esperarVida, pararReloj, sembrar, vaciarDatos } from './publico-mundo'

test.beforeEach(async () => {
  await vaciarDatos()
  await sembrar('gala', '2027-09-05', '19:30', {
    title: 'Gala de "son" & <bolero>',
    description: 'Una noche de cuerdas.',
    price: 500,
    featuredArtist: 'Ana & Luis',
  })
})

/** The content of a meta element, as a messenger reads it: by its name, from the text of the page. */
function contenido(pagina: string, nombre: string): string | undefined {
  const valor = new RegExp(`<meta (?:property|name)="${nombre}" content="([^"]*)"`).exec(pagina)?.[1]
  return valor
    ?.replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll(/&#34;|&quot;/g, '"')
    .replaceAll('&amp;', '&')
}

test('a messenger that is given an event’s address shows the event', async ({ request }) => {
  const respuesta = await request.get('/eventos/gala', { headers: { 'User-Agent': 'WhatsApp/2.24.6.77 A' } })
  expect(respuesta.status()).toBe(200)
  expect(respuesta.headers()).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, max-age=60',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining("default-src 'self'"),
  })
  const pagina = await respuesta.text()
  const titulo = 'Gala de "son" & <bolero> · Evento'
  expect(contenido(pagina, 'og:title')).toBe(titulo)
  expect(contenido(pagina, 'og:description')).toBe('05 SEP 2027 • 19:30. Una noche de cuerdas.')
  expect(contenido(pagina, 'og:image')).toMatch(/^https:[^"]+\.png$/)
  expect(contenido(pagina, 'og:url')).toMatch(/^https:.+\/eventos\/gala$/)
  expect(contenido(pagina, 'description')).toBe('05 SEP 2027 • 19:30. Una noche de cuerdas.')
  expect(contenido(pagina, 'robots')).toBe('index,follow')
  expect(pagina.match(/<title>/g)).toHaveLength(1)
  const datos: unknown = JSON.parse(/<script type="application\/ld\+json"[^>]*>(.*?)<\/script>/s.exec(pagina)?.[1] ?? '')
  expect(datos).toMatchObject({ '@type': 'Event', name: 'Gala de "son" & <bolero>', startDate: '2027-09-05T19:30:00-04:00' })
  const otraVez = await request.get('/eventos/gala', { headers: { 'If-None-Match': respuesta.headers()['etag'] ?? '' } })
  expect(otraVez.status()).toBe(304)
})

test('an event that is not there, or not published, is 404 with the site’s own page', async ({ request }) => {
  await sembrar('borrador', '2027-09-05', '19:30', { isPublished: false })
  for (const ruta of ['/eventos/ninguno', '/eventos/borrador', '/eventos/a%2Fb', '/eventos/__x__']) {
    const respuesta = await request.get(ruta)
    expect(respuesta.status(), ruta).toBe(404)
    const pagina = await respuesta.text()
    expect(pagina, ruta).toContain('Página no encontrada')
    expect(contenido(pagina, 'robots'), ruta).toBe('noindex')
  }
})

test('the event’s page becomes live over what the server said, and says it once', async ({ page }) => {
  await pararReloj(page)
  await page.goto('/eventos/gala')
  await esperarVida(page)
  await expect(page.getByRole('heading', { level: 1, name: 'Gala de "son" & <bolero>' })).toBeVisible()
  await expect(page).toHaveTitle('Gala de "son" & <bolero> · Evento')
  await expect(page.locator('script[type="application/ld+json"]')).toHaveCount(1)
  await page.getByRole('contentinfo').getByRole('link', { name: 'Privacidad' }).click()
  await expect(page).toHaveTitle(/^Privacidad/)
  await expect(page.locator('script[type="application/ld+json"]')).toHaveCount(0)
  await expect(page.locator('link[rel="canonical"]')).toHaveAttribute('href', /\/privacidad$/)
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('an event’s page says what, when, where and for how much', async ({ page }) => {
    await page.goto('/eventos/gala')
    await expect(page).toHaveTitle('Gala de "son" & <bolero> · Evento')
    await expect(page.getByRole('heading', { level: 1, name: 'Gala de "son" & <bolero>' })).toBeVisible()
    for (const texto of ['05 SEP 2027 • 19:30 · Teatro Nacional', 'Ana & Luis', 'RD$500.00', 'Una noche de cuerdas.']) {
      await expect(page.getByText(texto, { exact: true })).toBeVisible()
    }
  })
})
