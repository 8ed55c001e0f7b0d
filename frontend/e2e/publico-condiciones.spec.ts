import { expect, test } from '@playwright/test'
import { PUBLICAS } from '../src/meta'
import { pararReloj, sembrar, vaciarDatos } from './publico-mundo'

test('colours forced by the system still tell event days, the chosen view and the image in sight', async ({ page }) => {
  await vaciarDatos()
  await pararReloj(page)
  await sembrar('uno', '2027-09-18', '19:30')
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto('/calendario')
  await expect(page.getByRole('gridcell', { name: /18 de septiembre/ }).locator('.punto')).toHaveCSS(
    'background-color',
    'rgb(214, 51, 108)',
  )
  const fondo = (nombre: string) =>
    page.getByRole('button', { name: nombre, exact: true }).evaluate((nodo) => getComputedStyle(nodo).backgroundColor)
  expect(await fondo('Mes')).not.toBe(await fondo('Semana'))
  await page.goto('/')
  const punto = (selector: string) =>
    page
      .locator(`.galeria button${selector} > span`)
      .first()
      .evaluate((nodo) => getComputedStyle(nodo).backgroundColor)
  expect(await punto('[aria-current]')).not.toBe(await punto(':not([aria-current])'))
})

test('text set wide apart does not push anything out of a narrow window', async ({ browser, baseURL }) => {
  const page = await browser.newPage({ baseURL: baseURL ?? '', viewport: { width: 320, height: 640 }, bypassCSP: true })
  for (const ruta of PUBLICAS) {
    await page.goto(ruta)
    await page.addStyleTag({
      content: '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }',
    })
    expect(await page.evaluate('document.documentElement.scrollWidth'), ruta).toBe(320)
  }
  await page.close()
})

test('paper is white and has neither menus nor drawings nor buttons', async ({ page }) => {
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.goto('/donar')
  await expect(page.getByText('000-000000-0')).toBeVisible()
  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(255, 255, 255)')
  await expect(page.getByRole('banner')).toBeHidden()
  await expect(page.getByRole('button', { name: /Copiar/ }).first()).toBeHidden()
  await expect(page.locator('main img')).toBeHidden()
})
