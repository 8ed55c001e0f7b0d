/**
 * Pictures of every public page at three widths and in both themes, into capturas/ (not in git).
 *
 *   npm run capturas              all of them
 *   npm run capturas -- /donar    only those pages
 *   npm run capturas -- --leeme   the three of the README, into docs/
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import sharp from 'sharp'
import { conElSitio } from './en-marcha.mjs'

const ROOT = join(import.meta.dirname, '..')
const SIZES = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
]
const PAGES = [
  '/',
  '/informacion',
  '/historia',
  '/equipo',
  '/voluntarios',
  '/programas',
  '/instrumentos',
  '/ensambles',
  '/calendario',
  '/contacto',
  '/donar',
  '/privacidad',
  '/LogIn',
  '/no-existe',
]
/** The README's pictures: what of which page, at which size. */
const README = [
  { name: 'inicio', page: '/', size: { width: 1280, height: 800 } },
  { name: 'ensambles', page: '/ensambles', size: { width: 1280, height: 800 }, scroll: 'main ul' },
  { name: 'calendario-movil', page: '/calendario', size: { width: 390, height: 844 } },
]

/** Goes to a page and waits until everything it shows is there. */
async function arrive(page, url) {
  await page.goto(url, { waitUntil: 'networkidle' })
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

/** One page at one size, whole; says when it scrolls sideways. */
async function capture(browser, base, path, size, theme) {
  const page = await browser.newPage(options(size, theme === 'oscuro' ? 'dark' : 'light'))
  await arrive(page, base + path)
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  const name = path === '/' ? 'inicio' : path.slice(1)
  await page.screenshot({ path: join(ROOT, 'capturas', `${name}-${size.width}-${theme}.png`), fullPage: true })
  await page.close()
  return excess > 0 ? [`${path} a ${size.width} px: sobran ${excess} px de ancho`] : []
}

/** Every page asked for, at every size, in both themes. */
async function captureAll(browser, base, pages) {
  await mkdir(join(ROOT, 'capturas'), { recursive: true })
  const wrong = []
  for (const path of pages) {
    for (const size of SIZES) {
      for (const theme of ['claro', 'oscuro']) wrong.push(...(await capture(browser, base, path, size, theme)))
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
await conElSitio(async (base) => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
  try {
    if (asked.includes('--leeme')) return await captureReadme(browser, base)
    const wrong = await captureAll(browser, base, asked.length > 0 ? asked : PAGES)
    for (const line of wrong) console.error(`✗ ${line}`)
    process.exitCode = wrong.length > 0 ? 1 : 0
  } finally {
    await browser.close()
  }
})
