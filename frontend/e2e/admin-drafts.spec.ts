import { expect, type Page, test } from '@playwright/test'
import { clear, createAdmin, list, openPanel, read, write } from './admin-world'

test.beforeEach(async () => {
  await clear()
  await createAdmin()
})

const draft = (page: Page) => page.getByRole('region', { name: 'Borradores' }).getByRole('article', { name: 'Gala de otoño' })
const stored = async () => (await list('MusicEventDrafts'))[0] ?? {}
const now = new Date('2030-01-01T12:00:00Z')
const whole = {
  title: 'Gala de otoño',
  description: 'Una noche de cuerdas.',
  location: 'Teatro',
  featuredArtist: '',
  price: 500,
  date: '2031-09-05',
  time: '19:30',
  eventDate: new Date('2031-09-05T19:30:00-04:00'),
  createdBy: 'otro',
  createdByEmail: 'otro@x.do',
  createdAt: now,
  updatedAt: now,
  publishAt: null,
}

test('P-05 a draft is kept, finished and published; until then no visitor sees it', async ({ page, context, request }) => {
  await openPanel(page, 'Eventos')
  await page.getByRole('button', { name: 'Guardar borrador' }).click()
  await expect(page.getByRole('alert')).toHaveText('Escribe al menos el título.')
  await page.getByLabel('Título').fill('Gala de otoño')
  await page.getByLabel('Fecha', { exact: true }).fill('5/9/2031')
  await expect(page.getByText('viernes 5 de septiembre de 2031')).toBeVisible()
  await page.getByRole('button', { name: 'Guardar borrador' }).click()
  await expect(page.getByText('Borrador guardado.')).toBeVisible()
  await expect(page.getByLabel('Título')).toHaveValue('')
  // The interpretation of the fields disappears with it.
  await expect(page.getByText('viernes 5 de septiembre de 2031')).toHaveCount(0)
  await expect(draft(page)).toBeVisible()
  expect(await stored()).toMatchObject({ title: 'Gala de otoño', eventDate: null, publishAt: null, createdByEmail: 'admin@x.do' })

  const visitor = await context.newPage()
  await visitor.goto('/')
  await expect(visitor.getByText('Pronto anunciaremos nuevos eventos.')).toBeVisible()
  const answer = await request.get('/v1/projects/demo-fundacion/databases/(default)/documents/MusicEventDrafts')
  expect(answer.status()).toBe(403)

  await draft(page).getByRole('button', { name: 'Abrir' }).click()
  const dialog = page.getByRole('dialog', { name: 'Editar borrador' })
  await dialog.getByRole('button', { name: 'Publicar ahora' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Completa título, fecha, hora, lugar y descripción.')
  await dialog.getByLabel('Descripción').fill('Una noche de cuerdas.')
  await dialog.getByLabel('Fecha', { exact: true }).fill('5/9/2031')
  await dialog.getByLabel('Hora', { exact: true }).fill('7:30 p. m.')
  await dialog.getByLabel('Lugar').fill('Teatro')
  await dialog.getByRole('button', { name: 'Publicar ahora' }).click()
  await expect(page.getByText('Evento publicado.')).toBeVisible()
  await expect(draft(page)).toHaveCount(0)
  await expect(page.getByRole('article', { name: 'Gala de otoño' })).toBeVisible()
  await expect(visitor.getByRole('heading', { name: 'Gala de otoño' })).toBeVisible()
  expect(await list('MusicEventDrafts')).toEqual([])
  const [event] = await list('MusicEvent')
  expect(event).toMatchObject({ isPublished: true, time: '19:30', eventDate: new Date('2031-09-05T23:30:00Z') })
  await visitor.close()
})

test('P-05 the publication of a complete draft is scheduled and cancelled', async ({ page }) => {
  await write('MusicEventDrafts/gala', { ...whole, location: '' })
  await openPanel(page, 'Eventos')
  const dialog = page.getByRole('dialog', { name: 'Programar la publicación' })
  const schedule = () => draft(page).getByRole('button', { name: 'Programar' }).click()
  await schedule()
  await expect(dialog.getByRole('alert')).toContainText('Antes de programarlo')
  await dialog.getByRole('button', { name: 'Cerrar' }).click()
  await write('MusicEventDrafts/gala', whole)
  await schedule()
  await dialog.getByLabel('Fecha', { exact: true }).fill('2020-01-01')
  await dialog.getByLabel('Hora', { exact: true }).fill('09:00')
  await dialog.getByRole('button', { name: 'Programar' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Elige un momento que esté por llegar.')
  await dialog.getByLabel('Fecha', { exact: true }).fill('2031-09-01')
  await dialog.getByRole('button', { name: 'Programar' }).click()
  await expect(draft(page)).toContainText('Se publicará el 01 SEP 2031 • 09:00')
  expect((await read('MusicEventDrafts/gala'))?.['publishAt']).toEqual(new Date('2031-09-01T13:00:00Z'))
  await schedule()
  await dialog.getByRole('button', { name: 'Quitar la fecha' }).click()
  await expect(draft(page)).not.toContainText('Se publicará')
  expect((await read('MusicEventDrafts/gala'))?.['publishAt']).toBeNull()
})

test('P-05 a draft is discarded only after a confirmation', async ({ page }) => {
  await write('MusicEventDrafts/gala', whole)
  await openPanel(page, 'Eventos')
  const remove = () => draft(page).getByRole('button', { name: 'Eliminar' }).click()
  await remove()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancelar' }).click()
  await expect(draft(page)).toBeVisible()
  await remove()
  await page.getByRole('alertdialog', { name: '¿Eliminar este borrador?' }).getByRole('button', { name: 'Eliminar' }).click()
  await expect(page.getByText('Borrador eliminado.')).toBeVisible()
  expect(await list('MusicEventDrafts')).toEqual([])
})
