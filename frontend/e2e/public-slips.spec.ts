import { expect, test } from '@playwright/test'
import { holdRequests } from './hold'
import { waitUntilLive, stopClock, seed, clearData } from './public-world'

test.beforeEach(async ({ page }) => {
  await clearData()
  await stopClock(page)
})

test('scrolling before hydration loads the events of the home page without another gesture', async ({ page }) => {
  await seed('uno', '2027-09-20', '19:30')
  await page.setViewportSize({ width: 360, height: 740 })
  const release = await holdRequests(page, '**/assets/react-*.js')
  // The delay of three seconds never ends here: only scrolling may load the events.
  await page.addInitScript(() => {
    const after = window.setTimeout
    const withoutWait = (act: () => void, ms?: number, ...rest: unknown[]) => (ms === 3000 ? 0 : after(act, ms, ...rest))
    Object.assign(window, { setTimeout: withoutWait })
  })
  await page.goto('/', { waitUntil: 'commit' })
  await page.getByRole('heading', { name: 'Próximos eventos' }).waitFor()
  await page.evaluate(() => window.scrollTo(0, 700))
  release()
  await waitUntilLive(page)
  await expect(page.getByRole('heading', { name: 'Evento uno' })).toBeVisible()
})

test('paper without grounds: every text is dark, and the skip link is not printed', async ({ page }) => {
  await page.emulateMedia({ media: 'print' })
  for (const route of ['/', '/historia', '/informacion', '/programas', '/donar']) {
    await page.goto(route)
    await expect(page.getByText('Saltar al contenido')).toBeHidden()
    const lights = await page.evaluate(() => {
      const visibleOnes = [...document.querySelectorAll<HTMLElement>('main *')].filter(
        (node) =>
          node.checkVisibility() && [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent?.trim()),
      )
      return visibleOnes
        .filter((node) => {
          const [r = 0, g = 0, b = 0] = (/\d+, \d+, \d+/.exec(getComputedStyle(node).color)?.[0] ?? '0, 0, 0').split(', ').map(Number)
          return (r * 299 + g * 587 + b * 114) / 1000 > 150
        })
        .map((node) => node.textContent)
    })
    expect(lights, route).toEqual([])
  }
})

test('a page that is not stored is reported offline, and loads when the connection is back', async ({ page, context }) => {
  await page.goto('/historia')
  await expect(page.getByRole('button', { name: 'Usar tema oscuro' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  await context.setOffline(true)
  await page.getByRole('contentinfo').getByRole('link', { name: 'Privacidad' }).click()
  const notice = page.getByRole('alert')
  await expect(notice.getByRole('heading', { name: 'Sin conexión' })).toBeVisible()
  await expect(notice.getByRole('link', { name: 'Llamar a la fundación' })).toHaveAttribute('href', /^tel:/)
  await context.setOffline(false)
  await expect(page.getByRole('heading', { level: 1, name: 'Privacidad' })).toBeVisible()
})

test('an address of the panel is not stored', async ({ request }) => {
  expect(await (await request.get('/AdminView')).text()).toContain('<meta name="robots" content="noindex"')
})

test('the staff of the calendar is animated unless motion is reduced', async ({ request }) => {
  for (const drawing of ['calendario-hero', 'hero-1', 'hero-1-movil']) {
    const svg = await (await request.get(`/ilustraciones/${drawing}.svg`)).text()
    expect(svg).toMatch(/prefers-reduced-motion:no-preference\)\{\.pauta path/)
    expect(svg).toContain('class="pauta"')
    expect(svg).toContain('class="clave"')
  }
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('no page shows endless loading, and each shows how to reach the foundation', async ({ page }) => {
    await seed('uno', '2027-09-20', '19:30')
    for (const route of ['/', '/calendario', '/contacto', '/eventos/uno']) {
      await page.goto(route)
      await expect(page.getByText('Cargando').filter({ visible: true })).toHaveCount(0)
      await expect(page.locator('a[href^="tel:"]').filter({ visible: true }).first()).toBeVisible()
    }
    await page.goto('/eventos/uno')
    await expect(page.getByRole('main').locator('a[href="/calendario"]')).toBeVisible()
  })
})
