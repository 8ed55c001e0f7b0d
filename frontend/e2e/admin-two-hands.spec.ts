import { expect, type Locator, type Page, test } from '@playwright/test'
import { openPanel, erase, createAdmin, write, event, read, clear } from './admin-world'

// Two administrators edit one event: no text is overwritten without a confirmation.

test.beforeEach(async () => {
  await clear()
  await createAdmin()
  await write('MusicEvent/uno', event())
})

/** Opens the event for editing. */
async function edit(page: Page): Promise<Locator> {
  await page.getByRole('article').first().getByRole('button', { name: 'Editar' }).click()
  const windowOf = page.getByRole('dialog', { name: 'Editar evento' })
  await expect(windowOf).toBeVisible()
  return windowOf
}

/** Blocks live updates from now on. Saving still works. */
async function noNews(page: Page): Promise<void> {
  await page.route('**/google.firestore.v1.Firestore/Listen/**', (route) => route.abort())
  await page.context().setOffline(true)
  await page.context().setOffline(false)
}

const save = (windowOf: Locator) => windowOf.getByRole('button', { name: 'Guardar cambios' }).click()

test('the second save is refused, shows the first one’s changes and merges both', async ({ page, context }) => {
  await openPanel(page, 'Eventos')
  const another = await context.newPage()
  await another.goto('/AdminView?tab=eventos')
  const mine = await edit(page)
  const theirs = await edit(another)
  await theirs.getByLabel('Título').fill('De otra mano')
  await theirs.getByLabel('Lugar').fill('Su lugar')
  await mine.getByLabel('Lugar').fill('Mi lugar')
  await mine.getByLabel('Precio').fill('250')
  await save(theirs)
  await expect(theirs).toBeHidden()
  const notice = mine.getByRole('alert')
  await expect(notice).toContainText('Alguien cambió este evento mientras lo editabas.')
  await expect(notice).toContainText('De otra mano')
  await save(mine)
  await expect(notice).toContainText('No se guardó.')
  await expect(mine.getByRole('button', { name: 'Combinar' })).toBeFocused()
  expect(await read('MusicEvent/uno')).toMatchObject({ title: 'De otra mano', location: 'Su lugar', price: null })
  await page.keyboard.press('Enter')
  await expect(notice).toHaveCount(0)
  await expect(mine.getByLabel('Lugar')).toBeFocused()
  await expect(mine.getByLabel('Título')).toHaveValue('De otra mano')
  await expect(mine.getByLabel('Lugar')).toHaveValue('Mi lugar')
  await save(mine)
  await expect(mine).toBeHidden()
  expect(await read('MusicEvent/uno')).toMatchObject({ title: 'De otra mano', location: 'Mi lugar', price: 250 })
})

test('a change that the list has not received is refused by the server', async ({ page }) => {
  await openPanel(page, 'Eventos')
  const windowOf = await edit(page)
  await windowOf.getByLabel('Lugar').fill('Mi lugar')
  await noNews(page)
  await write('MusicEvent/uno', event({ title: 'De otra mano', updatedAt: new Date() }))
  await save(windowOf)
  await expect(windowOf.getByRole('alert')).toContainText('No se guardó. Alguien cambió este evento')
  await expect(windowOf.getByRole('alert')).toContainText('De otra mano')
  await expect(windowOf.getByLabel('Lugar')).toHaveValue('Mi lugar')
  expect(await read('MusicEvent/uno')).toMatchObject({ title: 'De otra mano', location: 'Teatro' })
  await windowOf.getByRole('button', { name: 'Combinar' }).click()
  await save(windowOf)
  await expect(windowOf).toBeHidden()
  expect(await read('MusicEvent/uno')).toMatchObject({ title: 'De otra mano', location: 'Mi lugar' })
})

test('the other user’s text can be loaded, and the own text restored', async ({ page }) => {
  await openPanel(page, 'Eventos')
  const windowOf = await edit(page)
  await windowOf.getByLabel('Lugar').fill('Mi lugar')
  await write('MusicEvent/uno', event({ title: 'De otra mano', updatedAt: new Date() }))
  await windowOf.getByRole('button', { name: 'Descartar lo mío' }).click()
  await expect(windowOf.getByRole('alert')).toHaveCount(0)
  await expect(windowOf.getByLabel('Título')).toHaveValue('De otra mano')
  await expect(windowOf.getByLabel('Lugar')).toHaveValue('Teatro')
  await windowOf.getByRole('button', { name: 'Recuperar lo mío' }).click()
  await expect(windowOf.getByLabel('Lugar')).toHaveValue('Mi lugar')
  // Leaving still requests confirmation for unsaved changes.
  await page.keyboard.press('Escape')
  await expect(windowOf.getByRole('alert')).toHaveText('Hay cambios sin guardar.')
})

test('saving a deleted event is reported and keeps the text', async ({ page }) => {
  await openPanel(page, 'Eventos')
  const windowOf = await edit(page)
  await windowOf.getByLabel('Lugar').fill('Mi lugar')
  await noNews(page)
  await erase('MusicEvent/uno')
  await save(windowOf)
  await expect(windowOf.getByRole('alert')).toContainText('Alguien eliminó este evento')
  await expect(windowOf.getByLabel('Lugar')).toHaveValue('Mi lugar')
  await expect(windowOf.getByRole('button', { name: 'Crear evento' })).toBeVisible()
})
