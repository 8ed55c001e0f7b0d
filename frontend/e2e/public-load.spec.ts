import { expect, type Page, test } from '@playwright/test'
import { holdRequests } from './hold'
import { coverPage, waitUntilLive, stopClock, seed, clearData, LIVE } from './public-world'
import { PUBLIC_PATHS } from '../src/paths'

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

  test('F-301 a tab of /LogIn opens, and what was typed stays', async ({ page }) => {
    const release = await holdRequests(page, SCRIPT)
    await page.goto('/LogIn', { waitUntil: 'commit' })
    await page.getByLabel('Correo electrónico').fill('ana@example.org')
    await page.getByLabel('Contraseña').fill('una contraseña')
    await expect(page.getByRole('button', { name: 'Entrar' })).toBeDisabled()
    release()
    await expect(page.getByRole('button', { name: 'Entrar' })).toBeEnabled()
    await expect(page.getByLabel('Correo electrónico')).toHaveValue('ana@example.org')
    await expect(page.getByLabel('Contraseña')).toHaveValue('una contraseña')
    const again = await holdRequests(page, SCRIPT)
    await page.goto('/LogIn?otra', { waitUntil: 'commit' })
    await page.getByRole('tab', { name: 'Crear cuenta' }).click()
    again()
    await expect(page.getByRole('tab', { name: 'Crear cuenta' })).toHaveAttribute('aria-selected', 'true')
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

/**
 * The maximum number of bytes that a phone transfers for a page before the first gesture. Firebase's hosting emulator
 * does not support Brotli.
 */
const MOST_BYTES = 'E2E_OFFICIAL' in process.env ? Infinity : 160 * 1024

/** The files that the browser itself requests for each page. */
const ICONS = ['/favicon.svg', '/manifest.webmanifest']

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
    expect(requests.filter((url) => LIVE.test(url))).toEqual([])
    // A chunk is imported from the cache after its request (src/lib/load-chunk.ts).
    expect(new Set(requests).size, requests.join('\n')).toBeLessThanOrEqual(25)
    // The session does not report the browser's own requests for the icon and the manifest.
    await page.evaluate((files) => Promise.all(files.map((file) => fetch(file).then((response) => response.blob()))), ICONS)
    expect(bytes, requests.join('\n')).toBeLessThanOrEqual(MOST_BYTES)
  })
}

/** The maximum number of bytes and requests before a page's first picture is visible: at 1.6 Mbit/s, 50 KB take a quarter of a second. */
const MOST_FIRST_BYTES = 'E2E_OFFICIAL' in process.env ? Infinity : 52 * 1024
const MOST_FIRST_REQUESTS = 8

for (const route of PUBLIC_PATHS) {
  test(`checks §3 ${route} shows its first screen from few files, before its scripts`, async ({ page }) => {
    await page.setViewportSize({ width: 412, height: 823 })
    await line(page, 50)
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Network.enable')
    const urls = new Map<string, string>()
    const sizes = new Map<string, number>()
    cdp.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, request.url))
    cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => sizes.set(urls.get(requestId) ?? '', encodedDataLength))
    await page.goto(route)
    await waitUntilLive(page)
    const { lazy, latest, begun } = await page.evaluate(firstScreen)
    expect(lazy, 'pictures of the first screen that wait for the layout').toEqual([])
    expect(latest, 'the last picture of the first screen').toBeGreaterThan(0)
    expect(begun, 'the request for the scripts').toBeGreaterThan(latest)
    const first = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLImageElement>('img[loading=eager]')].map((image) => image.currentSrc),
    )
    const files = [...sizes.keys()].filter(
      (url) => first.includes(url) || /\.(?:css|woff2)$|\/start-[\w-]+\.js$/.test(url) || url.endsWith(route),
    )
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(MOST_FIRST_REQUESTS)
    expect(
      files.reduce((sum, url) => sum + (sizes.get(url) ?? 0), 0),
      files.map((url) => `${url} ${sizes.get(url)}`).join('\n'),
    ).toBeLessThanOrEqual(MOST_FIRST_BYTES)
  })
}

/**
 * The lazy pictures of the first screen, the time at which its last picture is on the screen, and the time of the first
 * request for scripts.
 */
async function firstScreen(): Promise<{ lazy: string[]; latest: number; begun: number }> {
  const shown = await new Promise<PerformanceEntryList>((resolve) =>
    new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type: 'element', buffered: true }),
  )
  const lazy = [...document.querySelectorAll<HTMLImageElement>('img[loading=lazy]')].filter((image) => {
    const { top, width } = image.getBoundingClientRect()
    return width > 0 && top < innerHeight
  })
  const scripts = performance.getEntriesByType('resource').filter(({ name }) => /\/assets\/(?!start-)[^/]*\.js$/.test(name))
  return {
    lazy: lazy.map((image) => image.currentSrc || image.src),
    latest: Math.max(...shown.map(({ startTime }) => startTime)),
    begun: Math.min(...scripts.map(({ startTime }) => startTime)),
  }
}

test('the site can be installed, with the icon of its pages', async ({ page }) => {
  await page.goto('/')
  const cdp = await page.context().newCDPSession(page)
  const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors')
  expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito'])
  const { data } = await cdp.send('Page.getAppManifest')
  expect(data).toContain('/favicon.svg')
  const { primaryIcon } = await cdp.send('Page.getManifestIcons')
  expect(primaryIcon).toBeTruthy()
})

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
