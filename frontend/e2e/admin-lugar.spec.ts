import { expect, type Locator, test } from '@playwright/test'
import { abrirPanel, crearAdmin, escribir, evento, vaciar } from './admin-mundo'

const dia = (n: number) => new Date(Date.UTC(2031, 0, 1 + n, 23, 30))

test.beforeEach(async () => {
  await vaciar()
  await crearAdmin()
  await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      escribir(`MusicEvent/e${n}`, evento({ title: `Evento ${n}`, date: dia(n).toISOString().slice(0, 10), eventDate: dia(n) })),
    ),
  )
})

/** How far below the window's upper edge something stands. */
const arriba = (lugar: Locator) => lugar.evaluate((nodo) => nodo.getBoundingClientRect().top)

test('after a deletion the focus is on the card in its place, and the page stays where it was', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await abrirPanel(page, 'Eventos')
  const tarjeta = page.getByRole('article', { name: 'Evento 15', exact: true })
  const siguiente = page.getByRole('article', { name: 'Evento 16', exact: true })
  await tarjeta.scrollIntoViewIfNeeded()
  const antes = await arriba(tarjeta)
  const desplazado = await page.evaluate(() => scrollY)
  expect(desplazado).toBeGreaterThan(100)
  await tarjeta.getByRole('button', { name: 'Eliminar' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(tarjeta).toHaveCount(0)
  await expect(siguiente.getByRole('button').first()).toBeFocused()
  expect(Math.abs((await arriba(siguiente)) - antes)).toBeLessThan(8)
  expect(Math.abs((await page.evaluate(() => scrollY)) - desplazado)).toBeLessThan(8)
  // The last card of all has none in its place: the one before it takes the focus.
  await page.getByRole('article', { name: 'Evento 23', exact: true }).getByRole('button', { name: 'Eliminar' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(page.getByRole('article', { name: 'Evento 22', exact: true }).getByRole('button').first()).toBeFocused()
})

test('after duplicating, the form with the copy is in view and has the focus', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await abrirPanel(page, 'Eventos')
  const tarjeta = page.getByRole('article', { name: 'Evento 20', exact: true })
  await tarjeta.scrollIntoViewIfNeeded()
  const desplazado = await page.evaluate(() => scrollY)
  await tarjeta.getByRole('button', { name: 'Duplicar' }).click()
  await expect(page.getByLabel('Título')).toHaveValue('Evento 20')
  await expect(page.getByLabel('Título')).toBeFocused()
  await expect(page.getByLabel('Título')).toBeInViewport({ ratio: 1 })
  // The form stays beside the cards, so nothing has to move.
  expect(Math.abs((await page.evaluate(() => scrollY)) - desplazado)).toBeLessThan(8)
})

test('on a phone the events to come are first, and the form is a sheet', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await escribir('MusicEvent/viejo', evento({ title: 'De antes', date: '2020-01-01', eventDate: new Date('2020-01-01T23:30:00Z') }))
  await abrirPanel(page, 'Eventos')
  await expect(page.getByRole('article').first()).toHaveAccessibleName('Evento 0')
  await expect(page.getByRole('button', { name: 'Próximos' })).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByText('Total: 24')).toBeVisible()
  await page.getByRole('button', { name: 'Todos', exact: true }).click()
  await expect(page.getByRole('article').first()).toHaveAccessibleName('De antes')
  const hoja = page.getByRole('dialog', { name: 'Nuevo evento' })
  await expect(page.getByLabel('Título')).toHaveCount(0)
  const abrir = page.getByRole('button', { name: 'Nuevo evento' })
  await abrir.click()
  await expect(hoja.getByLabel('Título')).toBeFocused()
  const caja = await hoja.boundingBox()
  expect(caja?.width).toBe(360)
  expect((caja?.y ?? 0) + (caja?.height ?? 0)).toBe(740)
  await hoja.getByLabel('Título').fill('A medias')
  await page.keyboard.press('Escape')
  await expect(hoja).toBeHidden()
  await expect(abrir).toBeFocused()
  await abrir.click()
  await expect(hoja.getByLabel('Título')).toHaveValue('A medias')
  await page.keyboard.press('Escape')
  await page.getByRole('article', { name: 'De antes' }).getByRole('button', { name: 'Duplicar' }).click()
  await expect(hoja.getByLabel('Título')).toHaveValue('De antes')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
})

test('a filter that fits no event says so, and can be taken away', async ({ page }) => {
  await abrirPanel(page, 'Eventos')
  await page.getByRole('button', { name: 'Anteriores' }).click()
  await expect(page.getByText('No hay resultados.')).toBeVisible()
  await expect(page.getByText('Aún no hay eventos.')).toHaveCount(0)
  await page.getByRole('button', { name: 'Todos', exact: true }).click()
  await expect(page.getByText('Total: 24')).toBeVisible()
})
