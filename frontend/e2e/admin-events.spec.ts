import { expect, type Page, test } from '@playwright/test'
import { openPanel, admin, type Inputs, createAdmin, write, event, read, list, clear } from './admin-world'
import { holdRequests } from './hold'

test.beforeEach(clear)

type FormSection = Partial<Record<'Título' | 'Descripción' | 'Fecha' | 'Hora' | 'Lugar' | 'Artista destacado' | 'Precio', string>>
const complete: FormSection = {
  Título: ' Concierto ',
  Descripción: 'Entrada libre',
  Fecha: '2031-09-05',
  Hora: '19:30',
  Lugar: 'Teatro',
  'Artista destacado': 'Coro',
  Precio: '1500.50',
}

async function fill(page: Page, fields: FormSection) {
  for (const [name, value] of Object.entries(fields)) await page.getByLabel(name, { exact: true }).fill(value)
}
const create = (page: Page) => page.getByRole('button', { name: 'Crear evento' }).click()
const flat = (text: string) => text.replace(/\s+/g, ' ')

test('on a screen of 800 px the buttons of a new event and their message are visible without scrolling', async ({ page }) => {
  await createAdmin()
  await page.setViewportSize({ width: 1280, height: 800 })
  await openPanel(page, 'Eventos')
  await expect(page.getByRole('button', { name: 'Crear evento' })).toBeInViewport({ ratio: 1 })
  const form = page.locator('.panel-formulario')
  expect(await form.evaluate((node) => node.scrollHeight - node.clientHeight), 'a scroll of its own').toBeLessThanOrEqual(0)
  const [whole, buttons] = await Promise.all([form, page.locator('.panel-acciones')].map((part) => part.boundingBox()))
  const below = (whole?.y ?? 0) + (whole?.height ?? 0) - (buttons?.y ?? 0) - (buttons?.height ?? 0)
  expect(below, 'more than its padding below the buttons').toBeLessThanOrEqual(24)
  await create(page)
  await expect(page.getByText('Completa título, fecha, hora, lugar y descripción.')).toBeInViewport({ ratio: 1 })
  await fill(page, complete)
  await page.getByLabel('Precio').press('Enter')
  await expect(page.getByText('Evento creado correctamente.')).toBeInViewport({ ratio: 1 })
})

test('S-096 an event is created with its fields, and shown with two decimals', async ({ page }) => {
  const uid = await createAdmin()
  await openPanel(page, 'Eventos')
  await fill(page, complete)
  await create(page)
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  await expect(page.getByLabel('Título')).toHaveValue('')
  await expect(page.getByLabel('Precio')).toHaveValue('')
  const [saved] = await list('MusicEvent')
  const { id, createdAt, updatedAt, ...fields } = saved ?? {}
  expect(fields).toEqual({
    title: 'Concierto',
    description: 'Entrada libre',
    location: 'Teatro',
    featuredArtist: 'Coro',
    price: 1500.5,
    date: '2031-09-05',
    time: '19:30',
    eventDate: new Date('2031-09-05T19:30:00-04:00'),
    createdBy: uid,
    createdByEmail: admin.email,
    isPublished: true,
  })
  expect(createdAt).toBeInstanceOf(Date)
  expect(updatedAt).toEqual(createdAt)
  expect(id).toBeTruthy()
  const card = page.getByRole('article', { name: 'Concierto' })
  const text = flat(await card.innerText())
  for (const part of ['05 SEP 2031 • 19:30', 'Entrada libre', 'Teatro', 'Coro', 'RD$1,500.50']) expect(text).toContain(part)
})

test('S-097 the form is checked in its order, and nothing is written meanwhile', async ({ page }) => {
  await createAdmin()
  await openPanel(page, 'Eventos')
  await fill(page, complete)
  const pause = async (change: FormSection, text: string, field: string) => {
    await fill(page, { ...complete, ...change })
    await create(page)
    await expect(page.getByRole('tabpanel').getByRole('alert')).toHaveText(text)
    await expect(page.getByLabel(field, { exact: true })).toBeFocused()
  }
  for (const field of ['Título', 'Descripción', 'Fecha', 'Hora', 'Lugar'] as const) {
    await pause({ [field]: '' }, 'Completa título, fecha, hora, lugar y descripción.', field)
  }
  for (const price of ['abc', '-1', '0.005']) await pause({ Precio: price }, 'El precio debe ser un número válido.', 'Precio')
  await pause({ Fecha: '2027-02-30' }, 'Fecha u hora inválida.', 'Fecha')
  await pause({ Hora: '25:00' }, 'Fecha u hora inválida.', 'Hora')
  expect(await list('MusicEvent')).toEqual([])
  await fill(page, { ...complete, Precio: '', 'Artista destacado': '  ' })
  await create(page)
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  const [saved] = await list('MusicEvent')
  expect(saved).toMatchObject({ price: null, featuredArtist: '' })
})

test('a refused price is visible above the buttons and the message', async ({ page }) => {
  await createAdmin()
  await openPanel(page, 'Eventos')
  const price = page.getByLabel('Precio')
  const isCovered = () =>
    price.evaluate((input) => {
      const { left, right, top, bottom } = input.getBoundingClientRect()
      const points = [top + 2, bottom - 2].map((y) => document.elementFromPoint((left + right) / 2, y))
      return points.some((found) => found !== input)
    })
  for (const height of [600, 700, 740, 780, 820, 860, 900]) {
    await page.setViewportSize({ width: 1280, height })
    await page.reload()
    await fill(page, { ...complete, Precio: 'abc' })
    await price.press('Enter')
    await expect(page.getByText('El precio debe ser un número válido.')).toBeVisible()
    await expect(price).toBeFocused()
    expect(await isCovered(), `at a height of ${height}`).toBe(false)
  }
})

test('F-618 a refused creation is reported and keeps the text', async ({ page }) => {
  await createAdmin()
  await openPanel(page, 'Eventos')
  await fill(page, complete)
  const release = await holdRequests(page, '**/v1/projects/**', (route) => route.abort())
  await create(page)
  await expect(page.getByRole('button', { name: 'Guardando…' })).toBeDisabled()
  release()
  await expect(page.getByRole('tabpanel').getByRole('alert')).toHaveText('No se pudo crear el evento. Intenta de nuevo.')
  await expect(page.getByLabel('Título')).toHaveValue(' Concierto ')
  await page.unroute('**/v1/projects/**')
  await create(page)
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
})

test('S-099 deleting requires a confirmation, S-114 and can be undone with the same id', async ({ page }) => {
  await createAdmin()
  const original = event({ createdAt: new Date('2025-01-02T03:04:05Z') })
  await write('MusicEvent/uno', original)
  await openPanel(page, 'Eventos')
  const card = page.getByRole('article', { name: 'Concierto de prueba' })
  await card.getByRole('button', { name: 'Eliminar' }).click()
  const notice = page.getByRole('alertdialog', { name: '¿Eliminar este evento?' })
  await expect(notice).toContainText('Concierto de prueba')
  await expect(notice.getByRole('button', { name: 'Cancelar' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(notice).toBeHidden()
  await expect(card.getByRole('button', { name: 'Eliminar' })).toBeFocused()
  expect(await read('MusicEvent/uno')).not.toBeNull()
  await card.getByRole('button', { name: 'Eliminar' }).click()
  await notice.getByRole('button', { name: 'Eliminar' }).click()
  await expect(card).toBeHidden()
  await expect(page.getByText('Evento eliminado.', { exact: true })).toBeVisible()
  expect(await read('MusicEvent/uno')).toBeNull()
  await page.getByRole('button', { name: 'Deshacer' }).click()
  await expect(card).toBeVisible()
  expect(await read('MusicEvent/uno')).toEqual(original)
})

test('F-620 a refused deletion is reported', async ({ page }) => {
  await createAdmin()
  await write('MusicEvent/uno', event())
  await openPanel(page, 'Eventos')
  await page.getByRole('article').getByRole('button', { name: 'Eliminar' }).click()
  await page.route('**/v1/projects/**', (route) => route.abort())
  await page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(page.getByRole('alertdialog').getByRole('alert')).toHaveText('No se pudo eliminar.')
  expect(await read('MusicEvent/uno')).not.toBeNull()
})

test('S-101 no events', async ({ page }) => {
  await createAdmin()
  await openPanel(page, 'Eventos')
  await expect(page.getByText('Aún no hay eventos.')).toBeVisible()
})

test('S-114 editing keeps the author and creation time, and records the change', async ({ page, context }) => {
  await createAdmin()
  const original = event({ price: 0 })
  await write('MusicEvent/uno', original)
  await openPanel(page, 'Eventos')
  const another = await context.newPage()
  await another.goto('/AdminView?tab=eventos')
  await page.getByRole('article').getByRole('button', { name: 'Editar' }).click()
  const windowOf = page.getByRole('dialog', { name: 'Editar evento' })
  await expect(windowOf.getByLabel('Precio')).toHaveValue('0')
  await windowOf.getByLabel('Título').fill('')
  await windowOf.getByRole('button', { name: 'Guardar cambios' }).click()
  await expect(windowOf.getByRole('alert')).toHaveText('Completa título, fecha, hora, lugar y descripción.')
  await windowOf.getByLabel('Título').fill('Otro título')
  await windowOf.getByRole('button', { name: 'Guardar cambios' }).click()
  await expect(windowOf).toBeHidden()
  await expect(another.getByRole('article', { name: 'Otro título' })).toBeVisible()
  const saved = await read('MusicEvent/uno')
  const { updatedAt, ...rest } = saved ?? {}
  const { updatedAt: before, ...expected }: Inputs = { ...original, title: 'Otro título' }
  expect(rest).toEqual(expected)
  expect(Number(updatedAt)).not.toBe(Number(before))
  expect(Math.abs(Number(updatedAt) - Date.now())).toBeLessThan(60_000)
})

test('P-04 an event of an older form can be edited; duplicating fills the form', async ({ page }) => {
  await createAdmin()
  await write('MusicEvent/viejo', {
    title: 'Antiguo',
    description: 'D',
    location: 'L',
    eventDate: new Date('2031-09-06T01:00:00Z'),
    createdAt: new Date('2024-01-01T00:00:00Z'),
  })
  await openPanel(page, 'Eventos')
  await page.getByRole('article').getByRole('button', { name: 'Duplicar' }).click()
  await expect(page.getByLabel('Título')).toHaveValue('Antiguo')
  await expect(page.getByLabel('Fecha')).toHaveValue('05/09/2031')
  await expect(page.getByLabel('Hora')).toHaveValue('21:00')
  await page.getByRole('article').getByRole('button', { name: 'Editar' }).click()
  await page.getByRole('button', { name: 'Guardar cambios' }).click()
  await expect(page.getByText('Cambios guardados.')).toBeVisible()
  expect(await read('MusicEvent/viejo')).toMatchObject({ date: '2031-09-05', time: '21:00', price: null, featuredArtist: '' })
  await create(page)
  await expect(page.getByRole('article', { name: 'Antiguo' })).toHaveCount(2)
  await expect(page.getByLabel('Título')).toHaveValue('')
})

test('F-334 the open home page shows a created event and removes a deleted one', async ({ page, context }) => {
  await createAdmin()
  const cover = await context.newPage()
  await cover.goto('/')
  await expect(cover.getByText('Pronto anunciaremos nuevos eventos.')).toBeVisible()
  await openPanel(page, 'Eventos')
  await fill(page, complete)
  await create(page)
  await expect(cover.getByRole('heading', { name: 'Concierto', exact: true })).toBeVisible()
  await page.getByRole('article').getByRole('button', { name: 'Eliminar' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(cover.getByRole('heading', { name: 'Concierto', exact: true })).toBeHidden()
})

test('P-10 an event is created, changed and deleted by the keyboard alone', async ({ page }) => {
  await createAdmin()
  await openPanel(page, 'Eventos')
  await page.getByLabel('Título').focus()
  const order = ['Recital', 'Piano y canto', '2031-09-05']
  for (const text of order) {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
  await expect(page.getByRole('button', { name: 'Abrir calendario' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.type('19:30')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Teatro')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  const card = page.getByRole('article', { name: 'Recital' })
  await card.getByRole('button', { name: 'Editar' }).focus()
  await page.keyboard.press('Enter')
  const windowOf = page.getByRole('dialog', { name: 'Editar evento' })
  await expect(windowOf).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(card.getByRole('button', { name: 'Editar' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(card.getByRole('button', { name: 'Eliminar' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alertdialog').getByRole('button', { name: 'Cancelar' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(card).toBeHidden()
  await expect(page.getByText('Aún no hay eventos.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Eventos guardados' })).toBeFocused()
})
