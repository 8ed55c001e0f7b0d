import { expect, type Page, test } from '@playwright/test'
import { erase } from './admin-world'
import { holdRequests } from './hold'
import { clearData, coverPage, LIVE, seed, stopClock, uncoverPage } from './public-world'

// On a phone a small request loads the first rows, and the client of live queries is loaded later.

test.use({ viewport: { width: 360, height: 740 } })

test.beforeEach(async ({ page }) => {
  await clearData()
  await stopClock(page)
})

const card = (page: Page, title: string) =>
  page.getByRole('region', { name: 'Próximos Eventos Destacados' }).getByRole('heading', { level: 3, name: title })

/** Records whether a card is removed from the page from now on. Returns a function that reports it. */
async function watch(page: Page, title: string): Promise<() => Promise<boolean>> {
  const handle = await card(page, title).elementHandle()
  if (!handle) throw new Error(`${title} is not shown`)
  await handle.evaluate((node) => {
    new MutationObserver(() => {
      if (!node.isConnected) document.body.dataset['gone'] = 'yes'
    }).observe(document.body, { childList: true, subtree: true })
  })
  return () => page.evaluate(() => document.body.dataset['gone'] === 'yes')
}

/** The addresses of matching requests from now on, each once: a chunk is imported from the cache after its request. */
const asks = (page: Page, wanted: RegExp) => {
  const urls: string[] = []
  page.on('request', (sent) => {
    const url = sent.url()
    if (wanted.test(url) && !urls.includes(url)) urls.push(url)
  })
  return urls
}

test('F-243 the calendar shows its rows without the live client, and changes when it is loaded', async ({ page }) => {
  await coverPage(page)
  const clients = asks(page, LIVE)
  await seed('uno', '2027-09-18', '19:30', { price: 1500.5 })
  await page.goto('/calendario')
  await expect(card(page, 'Evento uno')).toBeVisible()
  await expect(page.getByRole('button', { name: /sábado 18 de septiembre de 2027: Evento uno/ })).toBeVisible()
  expect(clients).toEqual([])

  const gone = await watch(page, 'Evento uno')
  await uncoverPage(page)
  await expect.poll(() => clients.length).toBe(1)
  await seed('dos', '2027-09-20', '19:30')
  await expect(card(page, 'Evento dos')).toBeVisible()
  await erase('MusicEvent/dos')
  await expect(card(page, 'Evento dos')).toHaveCount(0)
  expect(await gone()).toBe(false)
})

test('F-243 the first gesture loads the live client, and the selected month is live', async ({ page }) => {
  await coverPage(page)
  const clients = asks(page, LIVE)
  await page.goto('/calendario')
  await expect(page.getByText('No hay eventos próximos en este rango.')).toBeVisible()
  expect(clients).toEqual([])
  await page.getByRole('button', { name: 'Mes siguiente' }).click()
  await expect.poll(() => clients.length).toBe(1)
  await seed('tres', '2027-10-20', '19:30')
  await expect(card(page, 'Evento tres')).toBeVisible()
})

test('F-238 the live client loads the rows if the small request fails', async ({ page }) => {
  await page.route('**/v1/projects/**', (route) => route.abort())
  await seed('uno', '2027-09-18', '19:30')
  await page.goto('/calendario')
  await expect(page.getByText('Cargando eventos…').first()).toBeVisible()
  await expect(card(page, 'Evento uno')).toBeVisible()
})

test('F-238 a refusal of the live client empties the list', async ({ page }) => {
  await coverPage(page)
  await seed('uno', '2027-09-18', '19:30')
  const release = await holdRequests(page, LIVE, (route) => route.abort())
  await page.goto('/calendario')
  await expect(card(page, 'Evento uno')).toBeVisible()
  await uncoverPage(page)
  release()
  await expect(card(page, 'Evento uno')).toHaveCount(0)
})

test('P-02 an event’s page needs no live client, and reports a missing event', async ({ page }) => {
  await coverPage(page)
  const clients = asks(page, LIVE)
  await seed('uno', '2027-09-18', '19:30')
  await page.goto('/eventos/uno')
  await expect(page.getByRole('heading', { level: 1, name: 'Evento uno' })).toBeVisible()
  await page.goto('/eventos/ninguno')
  await expect(page.getByRole('heading', { level: 1, name: 'Página no encontrada' })).toBeVisible()
  expect(clients).toEqual([])
  await page.goto('/eventos/uno')
  await uncoverPage(page)
  await expect.poll(() => clients.length).toBe(1)
  await seed('uno', '2027-09-18', '19:30', { title: 'Otro nombre' })
  await expect(page.getByRole('heading', { level: 1, name: 'Otro nombre' })).toBeVisible()
})

test('F-103 the next events of the home page need no live client', async ({ page }) => {
  const release = await holdRequests(page, LIVE)
  await seed('uno', '2027-09-18', '19:30')
  await page.goto('/')
  await page.keyboard.press('Shift')
  await expect(page.getByRole('heading', { level: 3, name: 'Evento uno' })).toBeAttached()
  release()
  await seed('dos', '2027-09-17', '19:30')
  await expect(page.getByRole('heading', { level: 3, name: 'Evento dos' })).toBeAttached()
})
