import { expect, type Page, test } from '@playwright/test'
import { holdRequests } from './hold'
import { coverPage, waitUntilLive, stopClock, seed, clearData, LIVE } from './public-world'
import { PUBLIC_PATHS } from '../src/meta'

// The loading of a page: first the visible content, then its scripts. The visitor's actions in between are not lost.

const PHONE = { width: 360, height: 740 }
const SCRIPT = /\/assets\/index-[\w-]+\.js$/
const STYLES = /\/assets\/index-[\w-]+\.css$/

test.beforeEach(async () => {
  await clearData()
})

/** Makes the browser report a network with the given round-trip time. */
async function line(page: Page, rtt: number): Promise<void> {
  await page.addInitScript((value) => Object.defineProperty(navigator, 'connection', { value: { rtt: value } }), rtt)
}

for (const { rtt, before } of [
  { rtt: 50, before: false },
  { rtt: 300, before: true },
]) {
  test(`P-08 with answers in ${rtt} ms the scripts set out ${before ? 'beside the styles' : 'after the first paint'}`, async ({ page }) => {
    await line(page, rtt)
    const requests: string[] = []
    page.on('request', (sent) => requests.push(sent.url()))
    const release = await holdRequests(page, STYLES)
    await page.goto('/historia', { waitUntil: 'commit' })
    const script = () => requests.some((url) => SCRIPT.test(url))
    await expect.poll(() => requests.some((url) => STYLES.test(url))).toBe(true)
    if (before) await expect.poll(script).toBe(true)
    // The fonts and the first picture are requested together with the styles. Scripts would have arrived before them.
    await expect
      .poll(() => page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('woff2')).length))
      .toBe(2)
    expect(script()).toBe(before)
    release()
    await expect.poll(script).toBe(true)
    await expect(page.getByRole('heading', { level: 1, name: 'Nuestra Historia' })).toBeVisible()
  })
}

test.describe('actions before hydration', () => {
  test('F-014 a tap on the menu opens it once', async ({ page }) => {
    await page.setViewportSize(PHONE)
    const release = await holdRequests(page, SCRIPT)
    await page.goto('/historia', { waitUntil: 'commit' })
    const menu = page.getByRole('button', { name: 'Abrir menú' })
    await menu.click()
    await menu.click()
    await expect(menu).toHaveAttribute('aria-expanded', 'false')
    release()
    await expect(page.getByRole('button', { name: 'Cerrar menú' })).toHaveAttribute('aria-expanded', 'true')
  })

  test('F-013 a group opens under a resting pointer', async ({ page }) => {
    const release = await holdRequests(page, SCRIPT)
    await page.goto('/historia', { waitUntil: 'commit' })
    const group = page.getByRole('button', { name: 'Programas' })
    await group.hover()
    await expect(group).toHaveAttribute('aria-expanded', 'false')
    release()
    await expect(group).toHaveAttribute('aria-expanded', 'true')
  })

  test('F-013 a group opens when the keyboard reaches it', async ({ page }) => {
    const release = await holdRequests(page, SCRIPT)
    await page.goto('/historia', { waitUntil: 'commit' })
    const group = page.getByRole('button', { name: 'Informaciones' })
    await expect(group).toBeVisible()
    for (let i = 0; i < 8 && !(await group.evaluate((node) => node === document.activeElement)); i++) await page.keyboard.press('Tab')
    await expect(group).toBeFocused()
    release()
    await expect(group).toHaveAttribute('aria-expanded', 'true')
  })
})

/** The maximum number of bytes that a phone transfers for a page before the first gesture. Firebase's hosting emulator does not support Brotli. */
const MOST_BYTES = 'E2E_OFFICIAL' in process.env ? Infinity : 160 * 1024

for (const route of [...PUBLIC_PATHS, '/eventos/tres']) {
  test(`checks §4 ${route} weighs at most 160 KB in 25 requests before it is used`, async ({ page }) => {
    await page.setViewportSize(PHONE)
    await stopClock(page)
    await coverPage(page)
    for (const id of ['uno', 'dos', 'tres']) await seed(id, '2027-09-18', '19:30')
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Network.enable')
    let bytes = 0
    const requests: string[] = []
    cdp.on('Network.requestWillBeSent', ({ request }) => requests.push(request.url))
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await page.goto(route)
    await waitUntilLive(page)
    if (/calendario|eventos/.test(route)) await expect(page.getByText('Evento tres').first()).toBeAttached()
    expect(requests.some((url) => SCRIPT.test(url))).toBe(true)
    expect(bytes, requests.join('\n')).toBeLessThanOrEqual(MOST_BYTES)
    expect(requests.filter((url) => LIVE.test(url))).toEqual([])
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(25)
  })
}

test('F-809 files named by their content are requested once', async ({ page }) => {
  const fromNetwork = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter((entry) => entry.name.includes('/assets/') && 'transferSize' in entry && Number(entry.transferSize) > 0)
        .map(({ name }) => name),
    )
  await page.goto('/historia')
  await waitUntilLive(page)
  expect(await fromNetwork()).not.toEqual([])
  await page.goto('/historia')
  await waitUntilLive(page)
  expect(await fromNetwork()).toEqual([])
})

test('P-08 the head belongs to the shown page, also after returning', async ({ page }) => {
  const requests: string[] = []
  page.on('request', (sent) => requests.push(sent.url()))
  await page.goto('/historia')
  await waitUntilLive(page)
  await expect(page).toHaveTitle(/^Nuestra Historia/)
  expect(requests.filter((url) => url.includes('/assets/meta-'))).toEqual([])
  await page.getByRole('banner').getByRole('link', { name: 'Contactos' }).click()
  await expect(page).toHaveTitle(/^Contacto/)
  await page.goBack()
  await expect(page).toHaveTitle(/^Nuestra Historia/)
})

/** Firebase's hosting emulator sends the header of pictures for a missing picture. */
const MISSING = 'E2E_OFFICIAL' in process.env ? [] : ['/no-existe.png']

test('F-809 icons are cached for a day, pages are revalidated', async ({ request }) => {
  const lasts = async (address: string) => (await request.get(address)).headers()['cache-control']
  for (const icon of ['/favicon.svg', '/icono-192.png', '/manifest.webmanifest'])
    expect(await lasts(icon), icon).toBe('public, max-age=86400')
  for (const path of ['/', '/historia', ...MISSING]) expect(await lasts(path), path).toBe('no-cache')
})
