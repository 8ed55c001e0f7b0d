import { expect, type Page, test } from '@playwright/test'
import { PUBLIC_PATHS } from '../src/paths'
import { stopClock, seed, clearData } from './public-world'

test('colours forced by the system still tell event days, the chosen view and the image in sight', async ({ page }) => {
  await clearData()
  await stopClock(page)
  await seed('uno', '2027-09-18', '19:30')
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto('/calendario')
  await expect(page.getByRole('gridcell', { name: /18 de septiembre/ }).locator('.punto')).toHaveCSS(
    'background-color',
    'rgb(214, 51, 108)',
  )
  const background = (name: string) =>
    page.getByRole('button', { name: name, exact: true }).evaluate((node) => getComputedStyle(node).backgroundColor)
  expect(await background('Mes')).not.toBe(await background('Semana'))
  await page.goto('/')
  const point = (selector: string) =>
    page
      .locator(`.galeria button${selector} > span`)
      .first()
      .evaluate((node) => getComputedStyle(node).backgroundColor)
  expect(await point('[aria-current]')).not.toBe(await point(':not([aria-current])'))
})

test('text set wide apart does not push anything out of a narrow window', async ({ browser, baseURL }) => {
  test.slow() // loads every public page
  const page = await browser.newPage({ baseURL: baseURL ?? '', viewport: { width: 320, height: 640 }, bypassCSP: true })
  for (const route of PUBLIC_PATHS) {
    await page.goto(route)
    await page.addStyleTag({
      content: '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }',
    })
    expect(await page.evaluate('document.documentElement.scrollWidth'), route).toBe(320)
  }
  // The home page does not become wider than a wide window either.
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/')
  await page.addStyleTag({
    content: 'p { margin-bottom: 2em !important } * { line-height: 1.8 !important; letter-spacing: 0.12em !important }',
  })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280)
  await page.close()
})

test('paper is white and has neither menus nor drawings nor buttons', async ({ page }) => {
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.goto('/donar')
  await expect(page.getByText('000-000000-0')).toBeVisible()
  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(255, 255, 255)')
  await expect(page.getByRole('banner')).toBeHidden()
  await expect(page.getByRole('button', { name: /Copiar/ }).first()).toBeHidden()
  const drawings = page.locator('main img')
  expect(await drawings.count()).toBeGreaterThan(0)
  for (const drawing of await drawings.all()) await expect(drawing).toBeHidden()
})

const SHEETS = ['A4', 'Letter'] as const

/** The number of sheets that a page takes on each paper size. */
async function pages(page: Page): Promise<number[]> {
  const accounts = []
  for (const format of SHEETS) {
    const pdf = await page.pdf({ format, printBackground: true, preferCSSPageSize: false })
    accounts.push(pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0)
  }
  return accounts
}

test.describe('S-119 P-18 on paper', () => {
  test('the calendar’s title has no hole where its picture is on the screen', async ({ page }) => {
    await page.setViewportSize({ width: 768, height: 1024 })
    await page.goto('/calendario')
    await expect(page.getByRole('grid')).toBeVisible()
    await page.emulateMedia({ media: 'print' })
    const head = await page.locator('.portada-arte').boundingBox()
    const title = await page.getByRole('heading', { level: 1 }).boundingBox()
    expect((head?.height ?? 0) - (title?.height ?? 0)).toBeLessThanOrEqual(40)
  })

  for (const [count, name] of [
    [0, 'an empty month'],
    [1, 'a quiet month'],
    [40, 'a month with more events than days'],
  ] as const) {
    test(`the calendar is one page: ${name}`, async ({ page }) => {
      await clearData()
      await page.clock.setFixedTime('2027-08-10T14:00:00-04:00')
      // August 2027 has six weeks.
      for (let i = 0; i < count; i++) {
        await seed(`e${i}`, `2027-08-${String((i % 30) + 1).padStart(2, '0')}`, '19:30', {
          title: `Evento ${i} de un título que no cabe en una línea de la página impresa`,
          location: 'Teatro Nacional Eduardo Brito, Plaza de la Cultura',
          featuredArtist: 'Orquesta de Cámara Juvenil',
          price: 1500,
        })
      }
      await page.goto('/calendario?vista=mes&fecha=2027-08-10')
      await expect(page.getByRole('gridcell')).toHaveCount(42)
      if (count) await expect(page.getByRole('button', { name: /1 evento|2 eventos/ }).first()).toBeVisible()
      // While it is printed, the page contains the parts that only paper shows, and their number is recorded.
      await page.evaluate(() => {
        new MutationObserver(() => {
          const lines = document.querySelectorAll('.agenda-impresa li').length
          if (lines > 0) document.body.dataset['impresas'] = String(lines)
        }).observe(document.body, { childList: true, subtree: true })
      })
      expect(await pages(page)).toEqual([1, 1])
      expect(await page.evaluate(() => Number(document.body.dataset['impresas'] ?? 0))).toBe(count)
      await page.emulateMedia({ media: 'print' })
      await expect(page.getByRole('heading', { name: 'Agosto de 2027' })).toBeVisible()
      await expect(page.getByText('correo@ejemplo.org').first()).toBeVisible()
      await expect(page.locator('.agenda-impresa li')).toHaveCount(count)
      await expect(page.getByRole('heading', { name: 'Próximos Eventos Destacados' })).toBeHidden()
      await page.emulateMedia({ media: 'screen' })
      // The parts for paper are removed from the page.
      await expect(page.locator('.agenda-impresa, .membrete')).toHaveCount(0)
    })
  }

  test('the week is one page', async ({ page }) => {
    await page.goto('/calendario?vista=semana&fecha=2027-08-10')
    await expect(page.getByRole('gridcell')).toHaveCount(7)
    expect(await pages(page)).toEqual([1, 1])
  })

  test('the donation data is one page, with every detail and the address of PayPal', async ({ page }) => {
    await page.goto('/donar')
    await expect(page.getByRole('button', { name: 'Copiar RNC' })).toBeEnabled()
    expect(await pages(page)).toEqual([1, 1])
    await page.emulateMedia({ media: 'print' })
    const main = page.getByRole('main')
    for (const detail of ['Banco por confirmar', '000-000000-0', '000000000', 'Donaciones en especie']) {
      await expect(main.getByText(detail, { exact: true })).toBeVisible()
    }
    const { content, display } = await main.getByRole('link', { name: /Donar con PayPal/ }).evaluate((link) => {
      const after = getComputedStyle(link, '::after')
      return { content: after.content, display: after.display }
    })
    expect(content).toContain('https://www.paypal.com/')
    expect(display).not.toBe('none')
    await expect(page.getByRole('heading', { name: 'A dónde va tu aporte' })).toBeHidden()
  })
})
