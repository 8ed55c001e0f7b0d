import { expect, type Page, test } from '@playwright/test'
import { esperarVida, pararReloj, sembrar, vaciarDatos } from './publico-mundo'

// How a page comes: what is seen first, its scripts behind it, and nothing that the visitor did meanwhile is lost.

const TELEFONO = { width: 360, height: 740 }
const GUION = /\/assets\/index-[\w-]+\.js$/
const ESTILOS = /\/assets\/index-[\w-]+\.css$/

test.beforeEach(async () => {
  await vaciarDatos()
})

/** Holds what is asked for at an address until released. */
async function retener(page: Page, direccion: RegExp): Promise<() => void> {
  let soltar = () => undefined as void
  const espera = new Promise<void>((listo) => {
    soltar = listo
  })
  await page.route(direccion, async (ruta) => {
    await espera
    await ruta.continue()
  })
  return () => soltar()
}

/** Makes the browser believe in a line whose answers take so long. */
async function linea(page: Page, rtt: number): Promise<void> {
  await page.addInitScript((valor) => Object.defineProperty(navigator, 'connection', { value: { rtt: valor } }), rtt)
}

for (const { rtt, antes } of [
  { rtt: 50, antes: false },
  { rtt: 300, antes: true },
]) {
  test(`P-08 with answers in ${rtt} ms the scripts set out ${antes ? 'beside the styles' : 'after the first paint'}`, async ({ page }) => {
    await linea(page, rtt)
    const pedidos: string[] = []
    page.on('request', (peticion) => pedidos.push(peticion.url()))
    const soltar = await retener(page, ESTILOS)
    await page.goto('/historia', { waitUntil: 'commit' })
    const guion = () => pedidos.some((url) => GUION.test(url))
    await expect.poll(() => pedidos.some((url) => ESTILOS.test(url))).toBe(true)
    if (antes) await expect.poll(guion).toBe(true)
    // The fonts and the first picture are asked for beside the styles: once they are here, so would the scripts be.
    await expect
      .poll(() => page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('woff2')).length))
      .toBe(2)
    expect(guion()).toBe(antes)
    soltar()
    await expect.poll(guion).toBe(true)
    await expect(page.getByRole('heading', { level: 1, name: 'Nuestra Historia' })).toBeVisible()
  })
}

test.describe('what is done before the page lives', () => {
  test('F-014 a tap on the menu opens it once', async ({ page }) => {
    await page.setViewportSize(TELEFONO)
    const soltar = await retener(page, GUION)
    await page.goto('/historia', { waitUntil: 'commit' })
    const menu = page.getByRole('button', { name: 'Abrir menú' })
    await menu.click()
    await menu.click()
    await expect(menu).toHaveAttribute('aria-expanded', 'false')
    soltar()
    await expect(page.getByRole('button', { name: 'Cerrar menú' })).toHaveAttribute('aria-expanded', 'true')
  })

  test('F-013 a pointer that rests on a group opens it', async ({ page }) => {
    const soltar = await retener(page, GUION)
    await page.goto('/historia', { waitUntil: 'commit' })
    const grupo = page.getByRole('button', { name: 'Programas' })
    await grupo.hover()
    await expect(grupo).toHaveAttribute('aria-expanded', 'false')
    soltar()
    await expect(grupo).toHaveAttribute('aria-expanded', 'true')
  })

  test('F-013 a group that the keyboard came to opens', async ({ page }) => {
    const soltar = await retener(page, GUION)
    await page.goto('/historia', { waitUntil: 'commit' })
    const grupo = page.getByRole('button', { name: 'Informaciones' })
    await expect(grupo).toBeVisible()
    for (let i = 0; i < 8 && !(await grupo.evaluate((nodo) => nodo === document.activeElement)); i++) await page.keyboard.press('Tab')
    await expect(grupo).toBeFocused()
    soltar()
    await expect(grupo).toHaveAttribute('aria-expanded', 'true')
  })
})

for (const { ruta, datos } of [
  { ruta: '/', datos: false },
  { ruta: '/historia', datos: false },
  { ruta: '/calendario', datos: true },
]) {
  test(`checks §4 ${ruta} weighs at most 330 KB in 25 requests before it is scrolled`, async ({ page }) => {
    await page.setViewportSize(TELEFONO)
    await pararReloj(page)
    for (const id of ['uno', 'dos', 'tres']) await sembrar(id, '2027-09-18', '19:30')
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Network.enable')
    let bytes = 0
    const pedidos: string[] = []
    cdp.on('Network.requestWillBeSent', ({ request }) => pedidos.push(request.url))
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await page.goto(ruta)
    await esperarVida(page)
    if (datos) await expect(page.getByText('Evento tres').first()).toBeAttached()
    expect(pedidos.some((url) => GUION.test(url))).toBe(true)
    expect(bytes).toBeLessThan(330_000)
    expect(pedidos.length, pedidos.join('\n')).toBeLessThanOrEqual(25)
  })
}

test('F-809 what is named by its content is asked for once', async ({ page }) => {
  const deRed = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter((entrada) => entrada.name.includes('/assets/') && 'transferSize' in entrada && Number(entrada.transferSize) > 0)
        .map(({ name }) => name),
    )
  await page.goto('/historia')
  await esperarVida(page)
  expect(await deRed()).not.toEqual([])
  await page.goto('/historia')
  await esperarVida(page)
  expect(await deRed()).toEqual([])
})

test('P-08 the head of a prerendered page is its own until another page is shown, and again when one comes back', async ({ page }) => {
  const pedidos: string[] = []
  page.on('request', (peticion) => pedidos.push(peticion.url()))
  await page.goto('/historia')
  await esperarVida(page)
  await expect(page).toHaveTitle(/^Nuestra Historia/)
  expect(pedidos.filter((url) => url.includes('/assets/meta-'))).toEqual([])
  await page.getByRole('banner').getByRole('link', { name: 'Contactos' }).click()
  await expect(page).toHaveTitle(/^Contacto/)
  await page.goBack()
  await expect(page).toHaveTitle(/^Nuestra Historia/)
})

test('F-809 what the site is known by is kept for a day, its pages are asked for anew', async ({ request }) => {
  const dura = async (direccion: string) => (await request.get(direccion)).headers()['cache-control']
  for (const icono of ['/favicon.svg', '/icono-192.png', '/manifest.webmanifest'])
    expect(await dura(icono), icono).toBe('public, max-age=86400')
  for (const pagina of ['/', '/historia', '/no-existe.png']) expect(await dura(pagina), pagina).toBe('no-cache')
})
