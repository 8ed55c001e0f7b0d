import { expect, test } from '@playwright/test'
import sharp from 'sharp'
import { pararReloj, sembrar, vaciarDatos } from './publico-mundo'

test.beforeEach(async ({ page }) => {
  await vaciarDatos()
  await pararReloj(page)
})

test('each inner page has a drawing of its own, and none is shown on two', async ({ request }) => {
  const vistas = new Set<string>()
  for (const ruta of [
    '/informacion',
    '/historia',
    '/equipo',
    '/voluntarios',
    '/programas',
    '/ensambles',
    '/contacto',
    '/donar',
    '/privacidad',
  ]) {
    const pagina = await (await request.get(ruta)).text()
    const dibujo = /\/ilustraciones\/cabecera-[a-z]+\.svg/.exec(pagina)?.[0] ?? ''
    expect(dibujo, ruta).toBe(`/ilustraciones/cabecera${ruta.replace('/', '-')}.svg`)
    expect((await request.get(dibujo)).status()).toBe(200)
    vistas.add(dibujo)
  }
  expect(vistas.size).toBe(9)
})

test('the days begin above the fold, and the next event stands beside them', async ({ page }) => {
  await sembrar('saxo', '2027-09-20', '19:30', { title: 'Clínica de saxofón' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/calendario')
  const lado = page.locator('.calendario-lado')
  await expect(lado.getByRole('heading', { name: 'Lo próximo' })).toBeVisible()
  await expect(lado.getByRole('link', { name: 'Clínica de saxofón' })).toHaveAttribute('href', '/eventos/saxo')
  await expect(lado.locator('img')).toHaveAttribute('src', '/ilustraciones/evento-5.svg')
  const dias = await page.getByRole('grid').boundingBox()
  expect(dias?.y).toBeLessThan(560)
})

test('cards lead to the event as a whole: over the home, and to its page from the calendar', async ({ page }) => {
  await sembrar('uno', '2027-09-20', '19:30', { title: 'Recital' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/')
  const tarjeta = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Recital' }) })
  await expect(tarjeta.getByRole('link', { name: 'Recital' })).toHaveAttribute('href', '/eventos/uno')
  // On the drawing, far from any button.
  await tarjeta.click({ position: { x: 60, y: 60 } })
  await expect(page.getByRole('dialog').getByRole('link', { name: /Agregar al calendario/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Ver todos' }).click()
  await expect(page).toHaveURL(/\/calendario/)
  const destacado = page.getByRole('region', { name: 'Próximos Eventos Destacados' }).getByRole('listitem')
  await destacado.click({ position: { x: 60, y: 60 } })
  await expect(page.getByRole('heading', { level: 1, name: 'Recital' })).toBeVisible()
})

test('a drawing has its night when the page is dark, also when the visitor chose it', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/historia')
  await page.getByRole('button', { name: 'Usar tema oscuro' }).click()
  const { data } = await sharp(await page.locator('.cabecera-arte').screenshot())
    .extract({ left: 8, top: 8, width: 1, height: 1 })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const claro = [...data].slice(0, 3).reduce((suma, tono) => suma + tono, 0)
  expect(claro).toBeLessThan(300)
})

test('the footer of a phone is two columns, with networks and hours, in half a screen and a bit', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/historia')
  const pie = page.getByRole('contentinfo')
  for (const red of ['WhatsApp', 'Instagram', 'YouTube']) await expect(pie.getByRole('link', { name: red })).toBeVisible()
  await expect(pie.getByText('Lunes a sábado')).toBeVisible()
  expect((await pie.boundingBox())?.height).toBeLessThan(620)
})

test('/donar says what an amount does, and a card has no hole', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/donar')
  for (const monto of ['RD$ 500', 'RD$ 1,500', 'RD$ 5,000']) await expect(page.getByText(monto, { exact: true })).toBeVisible()
  const huecos = await page.locator('#metodos .marco').evaluateAll((tarjetas) =>
    tarjetas.map((tarjeta) => {
      const ultimo = tarjeta.lastElementChild?.getBoundingClientRect().bottom ?? 0
      return tarjeta.getBoundingClientRect().bottom - ultimo
    }),
  )
  for (const hueco of huecos) expect(hueco).toBeLessThan(48)
})
