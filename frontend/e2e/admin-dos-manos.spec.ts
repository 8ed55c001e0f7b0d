import { expect, type Locator, type Page, test } from '@playwright/test'
import { abrirPanel, borrar, crearAdmin, escribir, evento, leer, vaciar } from './admin-mundo'

// Two administrators at one event: nobody's words are lost without somebody having said so.

test.beforeEach(async () => {
  await vaciar()
  await crearAdmin()
  await escribir('MusicEvent/uno', evento())
})

/** Opens the event for editing. */
async function editar(page: Page): Promise<Locator> {
  await page.getByRole('article').first().getByRole('button', { name: 'Editar' }).click()
  const ventana = page.getByRole('dialog', { name: 'Editar evento' })
  await expect(ventana).toBeVisible()
  return ventana
}

/** From here on no news come through; saving itself does. */
async function sinNoticias(page: Page): Promise<void> {
  await page.route('**/google.firestore.v1.Firestore/Listen/**', (ruta) => ruta.abort())
  await page.context().setOffline(true)
  await page.context().setOffline(false)
}

const guardar = (ventana: Locator) => ventana.getByRole('button', { name: 'Guardar cambios' }).click()

test('the second to save is refused, sees what the first one wrote and joins both', async ({ page, context }) => {
  await abrirPanel(page, 'Eventos')
  const otra = await context.newPage()
  await otra.goto('/AdminView?tab=eventos')
  const mia = await editar(page)
  const suya = await editar(otra)
  await suya.getByLabel('Título').fill('De otra mano')
  await suya.getByLabel('Lugar').fill('Su lugar')
  await mia.getByLabel('Lugar').fill('Mi lugar')
  await mia.getByLabel('Precio').fill('250')
  await guardar(suya)
  await expect(suya).toBeHidden()
  const aviso = mia.getByRole('alert')
  await expect(aviso).toContainText('Alguien cambió este evento mientras lo editabas.')
  await expect(aviso).toContainText('De otra mano')
  await guardar(mia)
  await expect(aviso).toContainText('No se guardó.')
  await expect(mia.getByRole('button', { name: 'Combinar' })).toBeFocused()
  expect(await leer('MusicEvent/uno')).toMatchObject({ title: 'De otra mano', location: 'Su lugar', price: null })
  await page.keyboard.press('Enter')
  await expect(aviso).toHaveCount(0)
  await expect(mia.getByLabel('Lugar')).toBeFocused()
  await expect(mia.getByLabel('Título')).toHaveValue('De otra mano')
  await expect(mia.getByLabel('Lugar')).toHaveValue('Mi lugar')
  await guardar(mia)
  await expect(mia).toBeHidden()
  expect(await leer('MusicEvent/uno')).toMatchObject({ title: 'De otra mano', location: 'Mi lugar', price: 250 })
})

test('a change that the list has not heard of is refused by the server', async ({ page }) => {
  await abrirPanel(page, 'Eventos')
  const ventana = await editar(page)
  await ventana.getByLabel('Lugar').fill('Mi lugar')
  await sinNoticias(page)
  await escribir('MusicEvent/uno', evento({ title: 'De otra mano', updatedAt: new Date() }))
  await guardar(ventana)
  await expect(ventana.getByRole('alert')).toContainText('No se guardó. Alguien cambió este evento')
  await expect(ventana.getByRole('alert')).toContainText('De otra mano')
  await expect(ventana.getByLabel('Lugar')).toHaveValue('Mi lugar')
  expect(await leer('MusicEvent/uno')).toMatchObject({ title: 'De otra mano', location: 'Teatro' })
  await ventana.getByRole('button', { name: 'Combinar' }).click()
  await guardar(ventana)
  await expect(ventana).toBeHidden()
  expect(await leer('MusicEvent/uno')).toMatchObject({ title: 'De otra mano', location: 'Mi lugar' })
})

test('what the other one wrote can be taken, and one’s own text had back', async ({ page }) => {
  await abrirPanel(page, 'Eventos')
  const ventana = await editar(page)
  await ventana.getByLabel('Lugar').fill('Mi lugar')
  await escribir('MusicEvent/uno', evento({ title: 'De otra mano', updatedAt: new Date() }))
  await ventana.getByRole('button', { name: 'Descartar lo mío' }).click()
  await expect(ventana.getByRole('alert')).toHaveCount(0)
  await expect(ventana.getByLabel('Título')).toHaveValue('De otra mano')
  await expect(ventana.getByLabel('Lugar')).toHaveValue('Teatro')
  await ventana.getByRole('button', { name: 'Recuperar lo mío' }).click()
  await expect(ventana.getByLabel('Lugar')).toHaveValue('Mi lugar')
  // Leaving still asks about what is not saved.
  await page.keyboard.press('Escape')
  await expect(ventana.getByRole('alert')).toHaveText('Hay cambios sin guardar.')
})

test('a save of an event that is gone says so and keeps the text', async ({ page }) => {
  await abrirPanel(page, 'Eventos')
  const ventana = await editar(page)
  await ventana.getByLabel('Lugar').fill('Mi lugar')
  await sinNoticias(page)
  await borrar('MusicEvent/uno')
  await guardar(ventana)
  await expect(ventana.getByRole('alert')).toContainText('Alguien eliminó este evento')
  await expect(ventana.getByLabel('Lugar')).toHaveValue('Mi lugar')
  await expect(ventana.getByRole('button', { name: 'Crear evento' })).toBeVisible()
})
