import { expect, type Locator, test } from '@playwright/test'
import { openPanel, createAdmin, write, event, clear } from './admin-world'

const day = (n: number) => new Date(Date.UTC(2031, 0, 1 + n, 23, 30))

test.beforeEach(async () => {
  await clear()
  await createAdmin()
  await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      write(`MusicEvent/e${n}`, event({ title: `Evento ${n}`, date: day(n).toISOString().slice(0, 10), eventDate: day(n) })),
    ),
  )
})

/** The distance of an element from the window's upper edge. */
const above = (place: Locator) => place.evaluate((node) => node.getBoundingClientRect().top)

test('after a deletion the focus is on the card in its place, and the page stays where it was', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await openPanel(page, 'Eventos')
  const card = page.getByRole('article', { name: 'Evento 15', exact: true })
  const next = page.getByRole('article', { name: 'Evento 16', exact: true })
  await card.scrollIntoViewIfNeeded()
  const before = await above(card)
  const scrolled = await page.evaluate(() => scrollY)
  expect(scrolled).toBeGreaterThan(100)
  await card.getByRole('button', { name: 'Eliminar' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(card).toHaveCount(0)
  await expect(next.getByRole('button').first()).toBeFocused()
  expect(Math.abs((await above(next)) - before)).toBeLessThan(8)
  expect(Math.abs((await page.evaluate(() => scrollY)) - scrolled)).toBeLessThan(8)
  // No card replaces the last one: the focus moves to the previous card.
  await page.getByRole('article', { name: 'Evento 23', exact: true }).getByRole('button', { name: 'Eliminar' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(page.getByRole('article', { name: 'Evento 22', exact: true }).getByRole('button').first()).toBeFocused()
})

test('after duplicating, the form with the copy is in view and has the focus', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await openPanel(page, 'Eventos')
  const card = page.getByRole('article', { name: 'Evento 20', exact: true })
  await card.scrollIntoViewIfNeeded()
  await card.getByRole('button', { name: 'Duplicar' }).click()
  await expect(page.getByLabel('Título')).toHaveValue('Evento 20')
  await expect(page.getByLabel('Título')).toBeFocused()
  await expect(page.getByLabel('Título')).toBeInViewport({ ratio: 1 })
})

test('on a phone the events to come are first, and the form is a sheet', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await write('MusicEvent/viejo', event({ title: 'De antes', date: '2020-01-01', eventDate: new Date('2020-01-01T23:30:00Z') }))
  await openPanel(page, 'Eventos')
  await expect(page.getByRole('article').first()).toHaveAccessibleName('Evento 0')
  await expect(page.getByRole('button', { name: 'Próximos' })).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByText('Total: 24')).toBeVisible()
  await page.getByRole('button', { name: 'Todos', exact: true }).click()
  await expect(page.getByRole('article').first()).toHaveAccessibleName('De antes')
  const sheet = page.getByRole('dialog', { name: 'Nuevo evento' })
  await expect(page.getByLabel('Título')).toHaveCount(0)
  const open = page.getByRole('button', { name: 'Nuevo evento' })
  await open.click()
  await expect(sheet.getByLabel('Título')).toBeFocused()
  const sides = async () => {
    const box = await sheet.boundingBox()
    return [box?.width, (box?.y ?? 0) + (box?.height ?? 0)]
  }
  await expect.poll(sides).toEqual([360, 740]) // after its animation
  await sheet.getByLabel('Título').fill('A medias')
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  await expect(open).toBeFocused()
  await open.click()
  await expect(sheet.getByLabel('Título')).toHaveValue('A medias')
  await page.keyboard.press('Escape')
  await page.getByRole('article', { name: 'De antes' }).getByRole('button', { name: 'Duplicar' }).click()
  await expect(sheet.getByLabel('Título')).toHaveValue('De antes')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
})

test('fields beside each other are level, however long their notes are', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await openPanel(page, 'Eventos')
  await page.getByRole('article').first().getByRole('button', { name: 'Editar' }).click()
  const sheet = page.getByRole('dialog', { name: 'Editar evento' })
  await sheet.getByLabel('Fecha', { exact: true }).fill('2031-09-24')
  await expect(sheet.getByText('miércoles 24 de septiembre de 2031')).toBeVisible()
  const top = async (name: string) => (await sheet.getByLabel(name, { exact: true }).boundingBox())?.y
  // The dialog moves while it opens, also between two measurements.
  await expect.poll(async () => (await top('Fecha')) === (await top('Hora'))).toBe(true)
  // The buttons stay in view, and a focused field is above them.
  const save = sheet.getByRole('button', { name: 'Guardar cambios' })
  await expect(save).toBeInViewport({ ratio: 1 })
  await sheet.getByLabel('Precio').focus()
  await expect(save).toBeInViewport({ ratio: 1 })
  const overlap = async () => {
    const [field, foot] = [await sheet.getByLabel('Precio').boundingBox(), await save.boundingBox()]
    return field && foot ? field.y + field.height - foot.y : Number.NaN
  }
  await expect.poll(overlap).toBeLessThan(0)
})

test('a filter without matches is reported and can be removed', async ({ page }) => {
  await openPanel(page, 'Eventos')
  await page.getByRole('button', { name: 'Anteriores' }).click()
  await expect(page.getByText('No hay resultados.')).toBeVisible()
  await expect(page.getByText('Aún no hay eventos.')).toHaveCount(0)
  await page.getByRole('button', { name: 'Todos', exact: true }).click()
  await expect(page.getByText('Total: 24')).toBeVisible()
})
