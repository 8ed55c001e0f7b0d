import { type CDPSession, expect, type Page, test } from '@playwright/test'
import { clear, createAdmin, enter, write } from './admin-world'
import { seed } from './public-world'

test.use({ serviceWorkers: 'allow' })

/** A session with the page, which must stay open as long as its settings apply. */
let devtools: CDPSession

test.beforeEach(async ({ page, context }) => {
  await clear()
  devtools = await context.newCDPSession(page)
})

/** The paths in all caches of the service worker. */
const kept = (page: Page) =>
  page.evaluate(async () => {
    const all = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()))
    return all.flat().map(({ url }) => new URL(url).pathname)
  })

/** Enables the caching of pages by a gesture, and waits until a path is cached and the worker answers requests. */
async function keepPages(page: Page, path: string): Promise<void> {
  const press = async () => {
    // A page that is not hydrated yet does not handle the event.
    await page.keyboard.press('Shift')
    return kept(page)
  }
  await expect.poll(press, { timeout: 40_000 }).toContain(path)
  // The worker stores its own files before it is active.
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state), { timeout: 40_000 }).toBe('activated')
}

/**
 * Reports to the page that there is no connection, or that there is one. In some versions of Chromium, such as 148 and 150, a new
 * page does not have the simulated state; older ones lack the command, and the defect.
 */
async function report(offline: boolean): Promise<void> {
  const state = { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }
  await devtools.send('Network.overrideNetworkState', state).catch(() => undefined)
}

/** Opens a page without a connection. */
async function openOffline(page: Page, open: () => Promise<unknown>): Promise<void> {
  await page.context().setOffline(true)
  await open()
  await report(true)
}

const notice = (page: Page) => page.getByText('Sin conexión. Mostrando lo último recibido.')

test('P-12 visited pages and events are available offline, and marked', async ({ page, context }) => {
  await seed('gala', '2031-09-05', '19:30', { title: 'Gala de otoño' })
  await page.goto('/')
  await page.getByRole('heading', { name: 'Gala de otoño' }).scrollIntoViewIfNeeded()
  await page.getByRole('heading', { name: 'Gala de otoño' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Abrir la página del evento' }).click()
  await expect(page).toHaveURL('/eventos/gala')
  await keepPages(page, '/eventos/gala')
  await page.goto('/historia')
  await keepPages(page, '/historia')

  await openOffline(page, () => page.reload())
  await expect(page.getByRole('heading', { level: 1, name: 'Nuestra Historia' })).toBeVisible()
  await expect(notice(page)).toBeVisible()
  await openOffline(page, () => page.goto('/eventos/gala'))
  await expect(page.getByRole('heading', { level: 1, name: 'Gala de otoño' })).toBeVisible()
  await openOffline(page, () => page.goto('/'))
  await page
    .getByRole('heading', { name: /eventos/i })
    .first()
    .scrollIntoViewIfNeeded()
  await expect(page.getByRole('heading', { name: 'Gala de otoño' })).toBeVisible()
  await context.setOffline(false)
  await report(false)
  await expect(notice(page)).toBeHidden()
})

test('P-12 a page that is not stored is reported, with alternatives', async ({ page }) => {
  await page.goto('/')
  await keepPages(page, '/sin-conexion')
  await openOffline(page, () => page.goto('/equipo'))
  await expect(page.getByRole('heading', { level: 1, name: 'Sin conexión' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Llamar a la fundación' })).toHaveAttribute('href', /^tel:/)
})

test('P-12 changes on the server are shown at once with a connection', async ({ page }) => {
  await write('MusicEvent/gala', { title: 'Antes', eventDate: new Date('2031-09-05T23:30:00Z') })
  await page.goto('/eventos/gala')
  await keepPages(page, '/eventos/gala')
  await write('MusicEvent/gala', { title: 'Después', eventDate: new Date('2031-09-05T23:30:00Z') })
  const answer = await page.reload()
  expect(answer?.fromServiceWorker()).toBe(true)
  expect(await answer?.text()).toContain('Después · Evento')
})

test('P-12 neither the panel nor its data are stored', async ({ page }) => {
  await createAdmin()
  await page.goto('/')
  await keepPages(page, '/')
  await enter(page)
  await expect(page.getByRole('tab', { name: 'Eventos' })).toBeVisible()
  const paths = await kept(page)
  expect(paths.filter((path) => /LogIn|AdminView|log-in|admin|auth|^\/api|^\/v1|google|toolkit/i.test(path))).toEqual([])
})

test('P-12 a new build takes over at once and reloads the stored pages', async ({ page }) => {
  // The caches of an older build's worker. A page of the site could start its own worker meanwhile.
  await page.goto('/favicon.svg')
  await page.evaluate(async () => {
    const old = await caches.open('paginas-vieja')
    await old.put('/equipo', new Response('<p>viejo</p>', { headers: { 'Content-Type': 'text/html' } }))
    await old.put('/ya-no-existe', new Response('<p>viejo</p>', { headers: { 'Content-Type': 'text/html' } }))
    await caches.open('archivos-vieja')
  })
  await page.goto('/historia')
  await keepPages(page, '/historia')
  await expect.poll(() => page.evaluate(() => caches.keys())).toHaveLength(2)
  expect(await kept(page)).not.toContain('/ya-no-existe')
  const team = await page.evaluate(async () => (await caches.match('/equipo'))?.text())
  expect(team).toContain('Nuestro Equipo')
  expect(team).not.toContain('viejo')
})
