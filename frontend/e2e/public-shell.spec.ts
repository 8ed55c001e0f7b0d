import { expect, test } from '@playwright/test'
import { PUBLIC_PATHS } from '../src/paths'

const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1280, height: 800 }

for (const route of [...PUBLIC_PATHS, '/LogIn', '/AdminView']) {
  test(`S-001 ${route} loads by its address`, async ({ page, baseURL }) => {
    const errors: string[] = []
    const foreignOnes: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('cleardot.gif')) errors.push(message.text())
    })
    page.on('request', (sent) => {
      if (!sent.url().startsWith(baseURL ?? '') && !/^(?:data|blob):/.test(sent.url())) foreignOnes.push(sent.url())
    })
    const answer = await page.goto(route)
    expect(answer?.status()).toBe(200)
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    if (route !== '/LogIn' && route !== '/AdminView') {
      await expect(page.getByRole('banner')).toBeVisible()
      await expect(page.getByRole('contentinfo')).toBeVisible()
    }
    // Live queries keep a connection open: loading is complete when nothing is marked as pending.
    await page.waitForLoadState('load')
    await expect(page.getByText('Cargando eventos…')).toHaveCount(0)
    expect(errors).toEqual([])
    expect(foreignOnes).toEqual([])
  })
}

test('S-002 the site speaks Spanish', async ({ page }) => {
  await page.goto('/')
  await expect(page.locator('html')).toHaveAttribute('lang', /^es/)
  await expect(page.getByText('Todo por Medio de la Música').first()).toBeVisible()
  const names = await page
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((b) => b.getAttribute('aria-label') ?? b.textContent ?? ''))
  expect(names.join('\n')).not.toMatch(/\b(?:Submit|Loading|Close|Next|Previous|Menu|Search)\b/i)
})

for (const viewport of [PHONE, DESKTOP]) {
  test(`S-003 the bar stays in sight at ${viewport.width}`, async ({ page }) => {
    await page.setViewportSize(viewport)
    await page.goto('/')
    await page.evaluate(() => window.scrollTo(0, 2000))
    const bar = page.getByRole('banner')
    await expect(bar).toBeInViewport()
    expect((await bar.boundingBox())?.y).toBe(0)
  })
}

test.describe('the bar on a desk', () => {
  test.use({ viewport: DESKTOP })

  test('S-004 has the links of the brief and one highlighted action', async ({ page }) => {
    await page.goto('/')
    const bar = page.getByRole('navigation', { name: 'Principal' })
    const links: [string, string][] = [
      ['Inicio', '/'],
      ['Contactos', '/contacto'],
      ['Donar Ahora', '/donar'],
    ]
    for (const [text, a] of links) await expect(bar.getByRole('link', { name: text, exact: true })).toHaveAttribute('href', a)
    await bar.getByRole('button', { name: 'Informaciones' }).hover()
    for (const [text, a] of [
      ['Historia', '/historia'],
      ['Equipo', '/equipo'],
      ['Voluntarios', '/voluntarios'],
    ]) {
      await expect(bar.getByRole('link', { name: text ?? '' })).toHaveAttribute('href', a ?? '')
    }
    await bar.getByRole('button', { name: 'Programas' }).hover()
    await expect(bar.getByRole('link', { name: 'Instrumentos' })).toHaveAttribute('href', '/instrumentos')
    await expect(bar.getByRole('link', { name: 'Calendario' })).toHaveAttribute('href', '/calendario')
    const background = (name: string) =>
      bar.getByRole('link', { name: name, exact: true }).evaluate((node) => getComputedStyle(node).backgroundColor)
    expect(await background('Donar Ahora')).not.toBe(await background('Contactos'))
    expect(await background('Donar Ahora')).not.toBe('rgba(0, 0, 0, 0)')
  })

  test('S-005 opens one dropdown at a time, by hover', async ({ page }) => {
    await page.goto('/')
    const bar = page.getByRole('navigation', { name: 'Principal' })
    await bar.getByRole('button', { name: 'Informaciones' }).hover()
    await expect(
      bar.getByRole('listitem').getByRole('link', { name: /^(?:Historia|Equipo|Voluntarios|Instrumentos|Calendario)$/ }),
    ).toHaveText(['Historia', 'Equipo', 'Voluntarios'])
    await bar.getByRole('button', { name: 'Programas' }).hover()
    await expect(bar.getByRole('link', { name: /^(?:Historia|Equipo|Voluntarios|Instrumentos|Calendario)$/ })).toHaveText([
      'Instrumentos',
      'Calendario',
    ])
    await page.mouse.move(600, 700)
    await expect(bar.getByRole('link', { name: 'Instrumentos' })).toBeHidden()
  })

  test('a press on a dropdown that the mouse has opened keeps it open', async ({ page }) => {
    await page.goto('/')
    const group = page.getByRole('navigation', { name: 'Principal' }).getByRole('button', { name: 'Informaciones' })
    await group.hover()
    await expect(group).toHaveAttribute('aria-expanded', 'true')
    await group.click()
    await expect(group).toHaveAttribute('aria-expanded', 'true')
    await group.click()
    await expect(group).toHaveAttribute('aria-expanded', 'false')
  })

  test('dropdowns open by keyboard, close by Escape and give the focus back', async ({ page }) => {
    await page.goto('/')
    const bar = page.getByRole('navigation', { name: 'Principal' })
    const buttonClasses = bar.getByRole('button', { name: 'Informaciones' })
    await bar.getByRole('link', { name: 'Inicio', exact: true }).focus()
    await page.keyboard.press('Tab')
    await expect(buttonClasses).toBeFocused()
    await expect(buttonClasses).toHaveAttribute('aria-expanded', 'true')
    await page.keyboard.press('Tab')
    await expect(bar.getByRole('link', { name: 'Historia' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(buttonClasses).toBeFocused()
    await expect(buttonClasses).toHaveAttribute('aria-expanded', 'false')
    await page.keyboard.press('Enter')
    await expect(buttonClasses).toHaveAttribute('aria-expanded', 'true')
  })
})

test('S-007 the phone menu expands its groups separately and closes on a choice', async ({ page }) => {
  await page.setViewportSize(PHONE)
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
  const foot = page.getByRole('contentinfo')
  await expect(foot.locator('svg').first()).toBeVisible()
  await expect(foot.getByText('Todo por Medio de la Música', { exact: true })).toBeVisible()
  for (const [text, a] of [
    ['Inicio', '/'],
    ['Informaciones', '/informacion'],
    ['Programas', '/programas'],
    ['Contactos', '/contacto'],
    ['Donar', '/donar'],
  ]) {
    await expect(foot.getByRole('link', { name: text ?? '', exact: true })).toHaveAttribute('href', a ?? '')
  }
  await expect(foot.locator('a[href^="mailto:"]')).toBeVisible()
  await expect(foot.locator('a[href^="tel:"]')).toBeVisible()
  await expect(foot.getByText('© 2027 Fundación Todo por Medio de la Música. Todos los derechos reservados.')).toBeVisible()
})

test('S-011 an unknown address is a real 404', async ({ page }) => {
  const answer = await page.goto('/no-existe')
  expect(answer?.status()).toBe(404)
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
  expect(inicio.headers()['cross-origin-opener-policy']).toBe('same-origin')
  for (const route of ['/LogIn', '/AdminView']) {
    const { 'x-robots-tag': robots, 'cache-control': cache } = (await request.get(route)).headers()
    expect([robots, cache]).toEqual(['noindex', 'no-store'])
  }
  const resource = /\/assets\/[^"]+\.js/.exec(await inicio.text())?.[0] ?? ''
  expect((await request.get(resource)).headers()['cache-control']).toContain('immutable')
})

for (const width of [320, 360, 768, 1280]) {
  test(`S-112 nothing scrolls sideways at ${width}`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 })
    for (const route of [...PUBLIC_PATHS, '/LogIn']) {
      await page.goto(route)
      await expect(page.getByRole('heading', { level: 1 })).toBeAttached()
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect(excess, `${route} at ${width}`).toBeLessThanOrEqual(0)
    }
  })
}

test('S-116 every public page reads without scripts', async ({ request }) => {
  const titles = new Set<string>()
  for (const route of PUBLIC_PATHS) {
    const html = await (await request.get(route)).text()
    const title = /<title>([^<]+)<\/title>/.exec(html)?.[1] ?? ''
    const description = /<meta name="description" content="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(html, route).toMatch(/<h1[ >]/)
    expect(title.length, route).toBeLessThanOrEqual(65)
    expect(description.length, route).toBeGreaterThanOrEqual(70)
    expect(description.length, route).toBeLessThanOrEqual(160)
    expect(html, route).toContain('rel="canonical"')
    titles.add(title)
  }
  expect(titles.size).toBe(PUBLIC_PATHS.length)
  const data = /<script type="application\/ld\+json">(.+?)<\/script>/.exec(await (await request.get('/')).text())?.[1] ?? ''
  expect(JSON.parse(data)).toMatchObject({ '@type': 'NGO', foundingDate: '2025-02-28' })
  expect(await (await request.get('/sitemap.xml')).text()).toContain('/calendario</loc>')
  const robots = await (await request.get('/robots.txt')).text()
  expect(robots).toContain('Sitemap:')
  // Search engines must be able to read a page's "noindex".
  expect(robots).not.toMatch(/^Disallow: *\S/m)
})

test('the sign-in is complete without scripts, but sends nothing and is in no index', async ({ request }) => {
  const html = await (await request.get('/LogIn')).text()
  expect(html).toContain('<meta name="robots" content="noindex"')
  expect(html).toMatch(/<form [^>]*method="post"/)
  expect(html).toMatch(/<button type="submit"[^>]* disabled=""/)
})

test('S-119 the privacy page is there', async ({ page }) => {
  await page.goto('/privacidad')
  await expect(page.getByRole('heading', { level: 1, name: 'Privacidad' })).toBeVisible()
})
