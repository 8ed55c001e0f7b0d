/**
 * Takes pictures of every page of the site and the panel, and of their dialogs and menus, at three widths and in both
 * themes. It writes them into capturas/ (not in git) or the folder CAPTURAS.
 *
 *   npm run capturas                   all pictures
 *   npm run capturas -- /donar semana  only some pages and states
 *   npm run capturas -- --leeme        the README's public pages, into docs/
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import sharp from 'sharp'
import { withSite, publicPages } from './running.mjs'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = process.env.CAPTURAS ?? join(ROOT, 'capturas')
const SIZES = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
]
/** Pages that are not in the sitemap. */
const OTHERS = ['/donar/gracias', '/LogIn', '/no-existe']
/** The tabs of the panel, and the demo administrator (emulator-config). */
const TABS = ['administradores', 'eventos', 'boletin', 'voluntarios', 'contactos', 'instrumentos']
const ADMIN = { email: 'demo@ejemplo.org', password: 'demo-musica' }
/** The README's pictures: the page, its part, and the size. */
const README = [
  { name: 'inicio', page: '/', size: { width: 1280, height: 800 } },
  { name: 'ensambles', page: '/ensambles', size: { width: 1280, height: 800 }, scroll: 'main ul' },
]

/** Opens a page and waits until it is complete. */
async function arrive(page, url) {
  await page.goto(url)
  // Live queries keep a connection open, and the network is never idle: the page marks when its events are loaded.
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
  await page
    .getByRole(url.includes('/AdminView') ? 'tablist' : 'heading')
    .first()
    .waitFor()
  await page.waitForFunction(
    () => !document.querySelector('.hueso, .panel-hueso') && !document.body.innerText.includes('Cargando eventos…'),
  )
  await page.evaluate(() => window.scrollTo(0, 0))
  await page.evaluate(async () => {
    for (const image of document.querySelectorAll('img[loading="lazy"]')) image.loading = 'eager'
    await Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)))
    await document.fonts.ready
  })
}

const options = (size, colorScheme) => ({
  viewport: size,
  colorScheme,
  locale: 'es-DO',
  timezoneId: 'America/Santo_Domingo',
  reducedMotion: 'reduce',
})

/** Presses a button with a name. */
const press = (page, name) => page.getByRole('button', { name }).first().click()

/** States that require an action: the page, the widths, and the action. */
const STATES = [
  { name: 'menu', page: '/historia', widths: [360], act: (page) => press(page, 'Abrir menú') },
  { name: 'desplegable', page: '/historia', widths: [1280], act: (page) => press(page, 'Informaciones') },
  { name: 'evento-ventana', page: '/', act: (page) => press(page, 'Más información') },
  { name: 'programa-ventana', page: '/programas', act: (page) => press(page, /Ver Detalles/) },
  { name: 'semana', page: '/calendario', act: (page) => press(page, 'Semana') },
  { name: 'dia', page: '/calendario', act: (page) => press(page, /\d evento/) },
  { name: 'formulario-error', page: '/contacto', act: (page) => press(page, 'Enviar mensaje') },
  { name: 'preguntas', page: '/instrumentos', act: (page) => page.locator('summary').first().click() },
  { name: 'ensamble-abierto', page: '/ensambles', act: (page) => page.locator('summary').first().click() },
  { name: 'crear-cuenta', page: '/LogIn', act: (page) => page.getByRole('tab', { name: 'Crear cuenta' }).click() },
  {
    name: 'evento',
    page: '/',
    act: async (page) => {
      await press(page, 'Más información')
      await page
        .getByRole('dialog')
        .getByRole('link', { name: /página/ })
        .click()
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
  },
  { name: 'panel-evento-nuevo', page: '/AdminView?tab=eventos', widths: [360], act: (page) => press(page, 'Nuevo evento') },
  { name: 'panel-evento-editar', page: '/AdminView?tab=eventos', act: (page) => press(page, 'Editar') },
  { name: 'panel-evento-eliminar', page: '/AdminView?tab=eventos', act: (page) => press(page, 'Eliminar') },
  { name: 'panel-mensaje', page: '/AdminView?tab=contactos', act: (page) => page.locator('.panel-abrir').first().click() },
  { name: 'panel-boletin-nuevo', page: '/AdminView?tab=boletin', act: (page) => press(page, 'Escribir boletín') },
  { name: 'panel-borrar-datos', page: '/AdminView', act: (page) => press(page, 'Borrar datos de una persona') },
  { name: 'impresa-calendario', page: '/calendario', widths: [768], act: (page) => page.emulateMedia({ media: 'print' }) },
  { name: 'impresa-donar', page: '/donar', widths: [768], act: (page) => page.emulateMedia({ media: 'print' }) },
]

/** A full screenshot of a page or state at one size. Reports horizontal scrolling. */
async function capture(browser, base, { name, page: path, act, storageState }, size, theme) {
  const page = await browser.newPage({ ...options(size, theme === 'oscuro' ? 'dark' : 'light'), storageState })
  await arrive(page, base + path)
  await act?.(page)
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  // A picture of a dialog has the size of the window.
  const fullPage = !(await page.locator('dialog[open], #panel-menu').count())
  if (fullPage) await page.evaluate(() => window.scrollTo(0, 0))
  await page.screenshot({ path: join(FOLDER, `${name}-${size.width}-${theme}.png`), fullPage })
  await page.close()
  return excess > 0 ? [`${name} a ${size.width} px: sobran ${excess} px de ancho`] : []
}

/** The storage of a browser in which the demo administrator is signed in. */
async function signIn(browser, base) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${base}/LogIn`)
  await page.getByLabel('Correo electrónico').fill(ADMIN.email)
  await page.getByLabel('Contraseña').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Entrar' }).click()
  await page.waitForURL('**/AdminView')
  const state = await context.storageState({ indexedDB: true })
  await context.close()
  return state
}

/** Takes pictures of every requested page and state, at every size, in both themes. */
async function captureAll(browser, base, asked) {
  await mkdir(FOLDER, { recursive: true })
  const pages = [...(await publicPages(base)), ...OTHERS].map((page) => ({
    name: page === '/' ? 'inicio' : page.slice(1).replaceAll('/', '-'),
    page,
  }))
  const tabs = TABS.map((tab) => ({ name: `panel-${tab}`, page: `/AdminView?tab=${tab}` }))
  const wanted = [...pages, ...tabs, ...STATES].filter(
    ({ name, page }) => asked.length === 0 || asked.includes(page) || asked.includes(name),
  )
  const session = wanted.some(({ page }) => page.startsWith('/AdminView')) ? await signIn(browser, base) : undefined
  const wrong = []
  for (const scene of wanted) {
    for (const size of SIZES.filter(({ width }) => scene.widths?.includes(width) ?? true)) {
      for (const theme of ['claro', 'oscuro']) {
        const storageState = scene.page.startsWith('/AdminView') ? session : undefined
        wrong.push(...(await capture(browser, base, { ...scene, storageState }, size, theme)))
      }
    }
  }
  return wrong
}

/** The README's pictures, small enough for git. */
async function captureReadme(browser, base) {
  await mkdir(join(ROOT, 'docs'), { recursive: true })
  for (const { name, page: path, size, scroll } of README) {
    const page = await browser.newPage(options(size, 'light'))
    await arrive(page, base + path)
    if (scroll) await page.locator(scroll).first().scrollIntoViewIfNeeded()
    const picture = await page.screenshot()
    await sharp(picture)
      .png({ palette: true, quality: 85, effort: 10 })
      .toFile(join(ROOT, 'docs', `${name}.png`))
    await page.close()
  }
}

const asked = process.argv.slice(2)
await withSite(async (base) => {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // Drawings are separate documents. Only the browser's own setting stops their animations.
    args: ['--no-sandbox', '--force-prefers-reduced-motion'],
  })
  try {
    if (asked.includes('--leeme')) return await captureReadme(browser, base)
    const wrong = await captureAll(browser, base, asked)
    for (const line of wrong) console.error(`✗ ${line}`)
    process.exitCode = wrong.length > 0 ? 1 : 0
  } finally {
    await browser.close()
  }
})
