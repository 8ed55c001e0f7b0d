import { expect, type Page, test } from '@playwright/test'
import { abrirPanel, admin, borrar, crearAdmin, entrar, escribir, evento, leer, listar, vaciar } from './admin-mundo'

// What goes wrong in everybody's day: slips of the hand, two people at once, sessions that end, other clocks.

let uid = ''
test.beforeEach(async () => {
  await vaciar()
  uid = await crearAdmin()
})

const rellenar = async (page: Page, campos: Record<string, string>) => {
  for (const [nombre, valor] of Object.entries(campos)) await page.getByLabel(nombre, { exact: true }).fill(valor)
}
const completo = { Título: 'Recital', Descripción: 'Uno\ndos', Fecha: '2031-09-05', Hora: '19:30', Lugar: 'Teatro' }
const editar = async (page: Page) => {
  await page.getByRole('article').first().getByRole('button', { name: 'Editar' }).click()
  const ventana = page.getByRole('dialog', { name: 'Editar evento' })
  await expect(ventana).toBeVisible()
  return ventana
}

test('a half-written event outlives another tab of the panel, a reload and signing in again', async ({ page }) => {
  await abrirPanel(page, 'Eventos')
  await rellenar(page, { Título: 'Recital', Descripción: 'Uno\ndos' })
  const queda = async () => {
    await expect(page.getByLabel('Título')).toHaveValue('Recital')
    await expect(page.getByLabel('Descripción')).toHaveValue('Uno\ndos')
  }
  await page.getByRole('tab', { name: 'Contactos' }).click()
  await page.getByRole('tab', { name: 'Eventos' }).click()
  await queda()
  await page.reload()
  await queda()
  await page.getByRole('button', { name: 'Cerrar sesión' }).click()
  await expect(page).toHaveURL('/')
  await abrirPanel(page, 'Eventos')
  await queda()
  await rellenar(page, completo)
  await page.getByRole('button', { name: 'Crear evento' }).click()
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Título')).toHaveValue('')
})

test('a copy takes the place of a half-written event, which can be had back', async ({ page }) => {
  await escribir('MusicEvent/uno', evento())
  await abrirPanel(page, 'Eventos')
  await rellenar(page, { Título: 'A medias' })
  await page.getByRole('article').getByRole('button', { name: 'Duplicar' }).click()
  await expect(page.getByLabel('Título')).toHaveValue('Concierto de prueba')
  await page.getByRole('button', { name: 'Deshacer' }).click()
  await expect(page.getByLabel('Título')).toHaveValue('A medias')
  await expect(page.getByLabel('Lugar')).toHaveValue('')
})

test('an impatient hand creates one event', async ({ page }) => {
  await abrirPanel(page, 'Eventos')
  await rellenar(page, completo)
  await page.getByRole('button', { name: 'Crear evento' }).dblclick()
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  await page.route('**/v1/projects/**', async (ruta) => {
    await new Promise((listo) => setTimeout(listo, 500))
    await ruta.continue()
  })
  await rellenar(page, { ...completo, Título: 'Segundo' })
  await page.getByLabel('Lugar').press('Enter')
  await expect(page.getByRole('button', { name: 'Guardando…' })).toBeDisabled()
  await page.getByLabel('Lugar').press('Enter')
  await expect(page.getByRole('article')).toHaveCount(2)
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  expect(await listar('MusicEvent')).toHaveLength(2)
})

test('an edit is not lost by a press beside it or by Escape', async ({ page }) => {
  await escribir('MusicEvent/uno', evento())
  await abrirPanel(page, 'Eventos')
  const ventana = await editar(page)
  await ventana.getByLabel('Título').fill('A medias')
  await page.mouse.click(5, 400)
  await expect(ventana.getByLabel('Título')).toHaveValue('A medias')
  await ventana.getByLabel('Título').press('Escape')
  await expect(ventana.getByRole('alert')).toHaveText('Hay cambios sin guardar.')
  await expect(ventana.getByRole('button', { name: 'Seguir editando' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(ventana.getByRole('alert')).toBeHidden()
  await expect(ventana.getByLabel('Título')).toHaveValue('A medias')
  await ventana.getByRole('button', { name: 'Cancelar' }).click()
  await ventana.getByRole('button', { name: 'Descartar cambios' }).click()
  await expect(ventana).toBeHidden()
  await expect(page.getByRole('article').getByRole('button', { name: 'Editar' })).toBeFocused()
  // The question went with the dialog, and an event that nobody touched closes at once.
  await editar(page)
  await expect(ventana.getByLabel('Título')).toHaveValue('Concierto de prueba')
  await expect(ventana.getByRole('alert')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(ventana).toBeHidden()
})

test('Escape once more leaves the changes', async ({ page }) => {
  await escribir('MusicEvent/uno', evento())
  await abrirPanel(page, 'Eventos')
  const ventana = await editar(page)
  await ventana.getByLabel('Título').fill('A medias')
  await page.keyboard.press('Escape')
  await expect(ventana.getByRole('alert')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(ventana).toBeHidden()
  expect(await leer('MusicEvent/uno')).toMatchObject({ title: 'Concierto de prueba' })
})

test('who edits is told when somebody else changes the event, and when somebody deletes it', async ({ page }) => {
  await escribir('MusicEvent/uno', evento())
  await abrirPanel(page, 'Eventos')
  const ventana = await editar(page)
  await ventana.getByLabel('Lugar').fill('Parque')
  await escribir('MusicEvent/uno', evento({ title: 'De otra mano' }))
  await expect(ventana.getByRole('alert')).toContainText('Alguien cambió este evento')
  await expect(ventana.getByLabel('Título')).toHaveValue('Concierto de prueba')
  await borrar('MusicEvent/uno')
  await expect(ventana.getByRole('alert')).toContainText('Alguien eliminó este evento')
  await expect(ventana.getByLabel('Lugar')).toHaveValue('Parque')
  await ventana.getByRole('button', { name: 'Crear evento' }).click()
  await expect(ventana).toBeHidden()
  const [nuevo, ...otros] = await listar('MusicEvent')
  expect(otros).toEqual([])
  expect(nuevo).toMatchObject({ title: 'Concierto de prueba', location: 'Parque', createdBy: uid })
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
})

test('saving one’s own change is no news', async ({ page }) => {
  await escribir('MusicEvent/uno', evento())
  await abrirPanel(page, 'Eventos')
  const ventana = await editar(page)
  await page.evaluate(() => {
    new MutationObserver(() => {
      if (document.querySelector('dialog [role=alert]')) document.title = 'alerta'
    }).observe(document.body, { childList: true, subtree: true })
  })
  await ventana.getByLabel('Lugar').fill('Parque')
  await ventana.getByRole('button', { name: 'Guardar cambios' }).click()
  await expect(ventana).toBeHidden()
  await expect(page.getByText('Cambios guardados.')).toBeVisible()
  await expect(page).not.toHaveTitle('alerta')
})

test('what somebody else has deleted already is not offered back', async ({ page, context }) => {
  await escribir('MusicEvent/uno', evento())
  await abrirPanel(page, 'Eventos')
  // The other one's deletion is not heard of yet: the question stays open.
  await page.getByRole('article').getByRole('button', { name: 'Eliminar' }).click()
  const otra = await context.newPage()
  await otra.goto('/AdminView?tab=eventos')
  await otra.getByRole('article').getByRole('button', { name: 'Eliminar' }).click()
  await otra.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(otra.getByRole('button', { name: 'Deshacer' })).toBeVisible()
  await page.bringToFront()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(page.getByText('Evento eliminado.', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Deshacer' })).toHaveCount(0)
})

test('a question about one event is not closed, nor troubled, by the deletion of another', async ({ page }) => {
  await escribir('MusicEvent/uno', evento({ title: 'Primero' }))
  await escribir('MusicEvent/dos', evento({ title: 'Segundo' }))
  await abrirPanel(page, 'Eventos')
  let soltar = () => undefined as void
  const espera = new Promise<void>((listo) => {
    soltar = listo
  })
  await page.route('**/v1/projects/**', async (ruta) => {
    await espera
    await ruta.abort()
  })
  const preguntar = (nombre: string) => page.getByRole('article', { name: nombre }).getByRole('button', { name: 'Eliminar' }).click()
  await preguntar('Primero')
  const aviso = page.getByRole('alertdialog')
  const fallo = page.waitForEvent('requestfailed')
  await aviso.getByRole('button', { name: 'Eliminar' }).click()
  await page.keyboard.press('Escape')
  await preguntar('Segundo')
  soltar()
  await fallo
  await expect(aviso).toContainText('Segundo')
  await expect(aviso.getByRole('alert')).toHaveCount(0)
})

test('signing out in one tab closes the panel in the other', async ({ page, context }) => {
  await entrar(page)
  const otra = await context.newPage()
  await otra.goto('/AdminView')
  await expect(otra.getByRole('tab').first()).toBeVisible()
  await page.getByRole('button', { name: 'Cerrar sesión' }).click()
  await expect(page).toHaveURL('/')
  await otra.waitForURL('**/LogIn')
  await expect(otra.getByRole('tab', { name: 'Administradores' })).toHaveCount(0)
})

test('F-804 rights that end while something is open leave nothing of it on the page', async ({ page }) => {
  await escribir('MusicEvent/uno', evento())
  await abrirPanel(page, 'Eventos')
  const ventana = await editar(page)
  await escribir(`adminusers/${uid}`, { uid, email: admin.correo, role: 'editor', active: true, createdAt: new Date() })
  await expect(page.getByText('Tu cuenta no tiene acceso de administración.')).toBeVisible({ timeout: 10_000 })
  await expect(ventana).toHaveCount(0)
  await expect(page.getByText('Concierto de prueba')).toHaveCount(0)
})

test('the same id in both collections of volunteers is two rows, each with its own details', async ({ page }) => {
  const persona = { email: 'v@x.do', phone: '1', createdAt: new Date() }
  await escribir('voluntaryAplications/a', { ...persona, fullName: 'Nueva', message: 'uno', status: 'new', source: 'voluntarios-page' })
  await escribir('voluntaryApplications/a', { ...persona, fullName: 'Antigua', motivation: 'dos' })
  await abrirPanel(page, 'Voluntarios')
  await expect(page.getByRole('row')).toHaveCount(3)
  for (const [nombre, puede] of [
    ['Antigua', 0],
    ['Nueva', 1],
  ] as const) {
    await page.getByRole('button', { name: nombre }).click()
    const ficha = page.getByRole('dialog', { name: nombre })
    await expect(ficha).toBeVisible()
    await expect(ficha.getByRole('combobox')).toHaveCount(puede)
    await page.keyboard.press('Escape')
  }
  // Old applications can't be moved along: they do not wait for anybody.
  await expect(page.getByRole('link', { name: /Solicitudes nuevas/ })).toHaveText('1Solicitudes nuevas')
})

test.describe('on a computer in another zone', () => {
  test.use({ timezoneId: 'Asia/Tokyo' })

  test('D-07 dates are those of Santo Domingo, written and read', async ({ page }) => {
    await abrirPanel(page, 'Eventos')
    await rellenar(page, { ...completo, Hora: '23:30' })
    await page.getByRole('button', { name: 'Crear evento' }).click()
    await expect(page.getByText('05 SEP 2031 • 23:30')).toBeVisible()
    const [guardado] = await listar('MusicEvent')
    expect(guardado).toMatchObject({ date: '2031-09-05', time: '23:30', eventDate: new Date('2031-09-06T03:30:00Z') })
    const ventana = await editar(page)
    await expect(ventana.getByLabel('Fecha')).toHaveValue('2031-09-05')
    await expect(ventana.getByLabel('Hora')).toHaveValue('23:30')
  })
})
