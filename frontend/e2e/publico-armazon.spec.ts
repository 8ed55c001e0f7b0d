import { expect, test } from '@playwright/test'
import { PUBLICAS } from '../src/meta'

const TELEFONO = { width: 360, height: 740 }
const ESCRITORIO = { width: 1280, height: 800 }

for (const ruta of [...PUBLICAS, '/LogIn', '/AdminView']) {
  test(`S-001 ${ruta} loads by its address`, async ({ page, baseURL }) => {
    const errores: string[] = []
    const ajenas: string[] = []
    page.on('pageerror', (error) => errores.push(error.message))
    page.on('console', (mensaje) => {
      if (mensaje.type() === 'error' && !mensaje.text().includes('cleardot.gif')) errores.push(mensaje.text())
    })
    page.on('request', (peticion) => {
      if (!peticion.url().startsWith(baseURL ?? '') && !/^(?:data|blob):/.test(peticion.url())) ajenas.push(peticion.url())
    })
    const respuesta = await page.goto(ruta)
    expect(respuesta?.status()).toBe(200)
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    if (ruta !== '/LogIn' && ruta !== '/AdminView') {
      await expect(page.getByRole('banner')).toBeVisible()
      await expect(page.getByRole('contentinfo')).toBeVisible()
    }
    // Live data never fall idle: what was to be loaded is loaded once nothing says so.
    await page.waitForLoadState('load')
    await expect(page.getByText('Cargando eventos…')).toHaveCount(0)
    expect(errores).toEqual([])
    expect(ajenas).toEqual([])
  })
}

test('S-002 the site speaks Spanish', async ({ page }) => {
  await page.goto('/')
  await expect(page.locator('html')).toHaveAttribute('lang', /^es/)
  await expect(page.getByText('Todo por Medio de la Música').first()).toBeVisible()
  const nombres = await page
    .getByRole('button')
    .evaluateAll((botones) => botones.map((b) => b.getAttribute('aria-label') ?? b.textContent ?? ''))
  expect(nombres.join('\n')).not.toMatch(/\b(?:Submit|Loading|Close|Next|Previous|Menu|Search)\b/i)
})

for (const viewport of [TELEFONO, ESCRITORIO]) {
  test(`S-003 the bar stays in sight at ${viewport.width}`, async ({ page }) => {
    await page.setViewportSize(viewport)
    await page.goto('/')
    await page.evaluate(() => window.scrollTo(0, 2000))
    const barra = page.getByRole('banner')
    await expect(barra).toBeInViewport()
    expect((await barra.boundingBox())?.y).toBe(0)
  })
}

test.describe('the bar on a desk', () => {
  test.use({ viewport: ESCRITORIO })

  test('S-004 has the links of the brief and one highlighted action', async ({ page }) => {
    await page.goto('/')
    const barra = page.getByRole('navigation', { name: 'Principal' })
    const enlaces: [string, string][] = [
      ['Inicio', '/'],
      ['Contactos', '/contacto'],
      ['Donar Ahora', '/donar'],
    ]
    for (const [texto, a] of enlaces) await expect(barra.getByRole('link', { name: texto, exact: true })).toHaveAttribute('href', a)
    await barra.getByRole('button', { name: 'Informaciones' }).hover()
    for (const [texto, a] of [
      ['Historia', '/historia'],
      ['Equipo', '/equipo'],
      ['Voluntarios', '/voluntarios'],
    ]) {
      await expect(barra.getByRole('link', { name: texto ?? '' })).toHaveAttribute('href', a ?? '')
    }
    await barra.getByRole('button', { name: 'Programas' }).hover()
    await expect(barra.getByRole('link', { name: 'Instrumentos' })).toHaveAttribute('href', '/instrumentos')
    await expect(barra.getByRole('link', { name: 'Calendario' })).toHaveAttribute('href', '/calendario')
    const fondo = (nombre: string) =>
      barra.getByRole('link', { name: nombre, exact: true }).evaluate((nodo) => getComputedStyle(nodo).backgroundColor)
    expect(await fondo('Donar Ahora')).not.toBe(await fondo('Contactos'))
    expect(await fondo('Donar Ahora')).not.toBe('rgba(0, 0, 0, 0)')
  })

  test('S-005 opens one dropdown at a time, by hover', async ({ page }) => {
    await page.goto('/')
    const barra = page.getByRole('navigation', { name: 'Principal' })
    await barra.getByRole('button', { name: 'Informaciones' }).hover()
    await expect(
      barra.getByRole('listitem').getByRole('link', { name: /^(?:Historia|Equipo|Voluntarios|Instrumentos|Calendario)$/ }),
    ).toHaveText(['Historia', 'Equipo', 'Voluntarios'])
    await barra.getByRole('button', { name: 'Programas' }).hover()
    await expect(barra.getByRole('link', { name: /^(?:Historia|Equipo|Voluntarios|Instrumentos|Calendario)$/ })).toHaveText([
      'Instrumentos',
      'Calendario',
    ])
    await page.mouse.move(600, 700)
    await expect(barra.getByRole('link', { name: 'Instrumentos' })).toBeHidden()
  })

  test('dropdowns open by keyboard, close by Escape and give the focus back', async ({ page }) => {
    await page.goto('/')
    const barra = page.getByRole('navigation', { name: 'Principal' })
    const boton = barra.getByRole('button', { name: 'Informaciones' })
    await barra.getByRole('link', { name: 'Inicio', exact: true }).focus()
    await page.keyboard.press('Tab')
    await expect(boton).toBeFocused()
    await expect(boton).toHaveAttribute('aria-expanded', 'true')
    await page.keyboard.press('Tab')
    await expect(barra.getByRole('link', { name: 'Historia' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(boton).toBeFocused()
    await expect(boton).toHaveAttribute('aria-expanded', 'false')
    await page.keyboard.press('Enter')
    await expect(boton).toHaveAttribute('aria-expanded', 'true')
  })
})

test('S-007 the phone menu expands its groups separately and closes on a choice', async ({ page }) => {
  await page.setViewportSize(TELEFONO)
  await page.goto('/')
  await page.getByRole('button', { name: 'Abrir menú' }).click()
  const informaciones = page.getByRole('button', { name: 'Informaciones' })
  const programas = page.getByRole('button', { name: 'Programas' })
  await informaciones.click()
  await expect(informaciones).toHaveAttribute('aria-expanded', 'true')
  await expect(programas).toHaveAttribute('aria-expanded', 'false')
  await programas.click()
  await expect(programas).toHaveAttribute('aria-expanded', 'true')
  await expect(informaciones).toHaveAttribute('aria-expanded', 'true')
  await page.getByRole('navigation', { name: 'Principal' }).getByRole('link', { name: 'Equipo' }).click()
  await expect(page).toHaveURL(/\/equipo$/)
  await expect(page.getByRole('button', { name: 'Abrir menú' })).toHaveAttribute('aria-expanded', 'false')
  await expect(informaciones).toBeHidden()
})

test('S-009 the footer has logo, tagline, links and ways to reach us', async ({ page }) => {
  await page.clock.setFixedTime('2027-09-15T14:00:00-04:00')
  await page.goto('/historia')
  const pie = page.getByRole('contentinfo')
  await expect(pie.locator('svg').first()).toBeVisible()
  await expect(pie.getByText('Todo por Medio de la Música', { exact: true })).toBeVisible()
  for (const [texto, a] of [
    ['Inicio', '/'],
    ['Informaciones', '/informacion'],
    ['Programas', '/programas'],
    ['Contactos', '/contacto'],
    ['Donar', '/donar'],
  ]) {
    await expect(pie.getByRole('link', { name: texto ?? '', exact: true })).toHaveAttribute('href', a ?? '')
  }
  await expect(pie.locator('a[href^="mailto:"]')).toBeVisible()
  await expect(pie.locator('a[href^="tel:"]')).toBeVisible()
  await expect(pie.getByText('© 2027 Fundación Todo por Medio de la Música. Todos los derechos reservados.')).toBeVisible()
})

test('S-011 an unknown address is a real 404', async ({ page }) => {
  const respuesta = await page.goto('/no-existe')
  expect(respuesta?.status()).toBe(404)
  await expect(page.getByRole('heading', { level: 1, name: 'Página no encontrada' })).toBeVisible()
  await expect(page.getByRole('banner')).toBeVisible()
  await expect(page.getByRole('contentinfo')).toBeVisible()
})

test('S-111 answers carry the site’s headers', async ({ request }) => {
  const inicio = await request.get('/')
  expect(inicio.headers()['content-security-policy']).toContain("default-src 'self'")
  expect(inicio.headers()['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(inicio.headers()['x-content-type-options']).toBe('nosniff')
  expect(inicio.headers()['strict-transport-security']).toBeTruthy()
  for (const ruta of ['/LogIn', '/AdminView']) {
    const { 'x-robots-tag': robots, 'cache-control': cache } = (await request.get(ruta)).headers()
    expect([robots, cache]).toEqual(['noindex', 'no-store'])
  }
  const recurso = /\/assets\/[^"]+\.js/.exec(await inicio.text())?.[0] ?? ''
  expect((await request.get(recurso)).headers()['cache-control']).toContain('immutable')
})

for (const width of [320, 360, 768, 1280]) {
  test(`S-112 nothing scrolls sideways at ${width}`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 })
    for (const ruta of [...PUBLICAS, '/LogIn']) {
      await page.goto(ruta)
      await expect(page.getByRole('heading', { level: 1 })).toBeAttached()
      const sobra = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect(sobra, `${ruta} at ${width}`).toBeLessThanOrEqual(0)
    }
  })
}

test('S-116 every public page reads without scripts', async ({ request }) => {
  const titulos = new Set<string>()
  for (const ruta of PUBLICAS) {
    const html = await (await request.get(ruta)).text()
    const titulo = /<title>([^<]+)<\/title>/.exec(html)?.[1] ?? ''
    const descripcion = /<meta name="description" content="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(html, ruta).toMatch(/<h1[ >]/)
    expect(titulo.length, ruta).toBeLessThanOrEqual(65)
    expect(descripcion.length, ruta).toBeGreaterThanOrEqual(70)
    expect(descripcion.length, ruta).toBeLessThanOrEqual(160)
    expect(html, ruta).toContain('rel="canonical"')
    titulos.add(titulo)
  }
  expect(titulos.size).toBe(PUBLICAS.length)
  const datos = /<script type="application\/ld\+json">(.+?)<\/script>/.exec(await (await request.get('/')).text())?.[1] ?? ''
  expect(JSON.parse(datos)).toMatchObject({ '@type': 'NGO', foundingDate: '2025-02-28' })
  expect(await (await request.get('/sitemap.xml')).text()).toContain('/calendario</loc>')
  expect(await (await request.get('/robots.txt')).text()).toContain('Sitemap:')
  expect(await (await request.get('/LogIn')).text()).not.toContain('<form')
})

test('S-119 the privacy page is there', async ({ page }) => {
  await page.goto('/privacidad')
  await expect(page.getByRole('heading', { level: 1, name: 'Privacidad' })).toBeVisible()
})
