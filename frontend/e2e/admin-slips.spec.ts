import { expect, type Page, test } from '@playwright/test'
import { openPanel, admin, erase, createAdmin, enter, write, event, read, list, clear } from './admin-world'
import { holdRequests } from './hold'

// Common mistakes and disturbances: slips, concurrent changes, sessions that end, wrong clocks.

let uid = ''
test.beforeEach(async () => {
  await clear()
  uid = await createAdmin()
})

const fill = async (page: Page, fields: Record<string, string>) => {
  for (const [name, value] of Object.entries(fields)) await page.getByLabel(name, { exact: true }).fill(value)
}
const complete = { Título: 'Recital', Descripción: 'Uno\ndos', Fecha: '2031-09-05', Hora: '19:30', Lugar: 'Teatro' }
const edit = async (page: Page) => {
  await page.getByRole('article').first().getByRole('button', { name: 'Editar' }).click()
  const windowOf = page.getByRole('dialog', { name: 'Editar evento' })
  await expect(windowOf).toBeVisible()
  return windowOf
}

test('an unfinished event survives a change of tab, a reload and a new sign-in', async ({ page }) => {
  await openPanel(page, 'Eventos')
  await fill(page, { Título: 'Recital', Descripción: 'Uno\ndos' })
  const stays = async () => {
    await expect(page.getByLabel('Título')).toHaveValue('Recital')
    await expect(page.getByLabel('Descripción')).toHaveValue('Uno\ndos')
  }
  await page.getByRole('tab', { name: 'Contactos' }).click()
  await page.getByRole('tab', { name: 'Eventos' }).click()
  await stays()
  await page.reload()
  await stays()
  await page.getByRole('button', { name: 'Cerrar sesión' }).click()
  await expect(page).toHaveURL('/')
  await openPanel(page, 'Eventos')
  await stays()
  await fill(page, complete)
  await page.getByRole('button', { name: 'Crear evento' }).click()
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Título')).toHaveValue('')
})

test('a copy replaces an unfinished event, which can be restored', async ({ page }) => {
  await write('MusicEvent/uno', event())
  await openPanel(page, 'Eventos')
  await fill(page, { Título: 'A medias' })
  await page.getByRole('article').getByRole('button', { name: 'Duplicar' }).click()
  await expect(page.getByLabel('Título')).toHaveValue('Concierto de prueba')
  await page.getByRole('button', { name: 'Deshacer' }).click()
  await expect(page.getByLabel('Título')).toHaveValue('A medias')
  await expect(page.getByLabel('Lugar')).toHaveValue('')
})

test('repeated presses create one event', async ({ page }) => {
  await openPanel(page, 'Eventos')
  await fill(page, complete)
  await page.getByRole('button', { name: 'Crear evento' }).dblclick()
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  const release = await holdRequests(page, '**/v1/projects/**')
  await fill(page, { ...complete, Título: 'Segundo' })
  await page.getByLabel('Lugar').press('Enter')
  await expect(page.getByRole('button', { name: 'Guardando…' })).toBeDisabled()
  await page.getByLabel('Lugar').press('Enter')
  release()
  await expect(page.getByRole('article')).toHaveCount(2)
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  expect(await list('MusicEvent')).toHaveLength(2)
})

test('an edit is not lost by a press outside or by Escape', async ({ page }) => {
  await write('MusicEvent/uno', event())
  await openPanel(page, 'Eventos')
  const windowOf = await edit(page)
  await windowOf.getByLabel('Título').fill('A medias')
  await page.mouse.click(5, 400)
  await expect(windowOf.getByLabel('Título')).toHaveValue('A medias')
  await windowOf.getByLabel('Título').press('Escape')
  await expect(windowOf.getByRole('alert')).toHaveText('Hay cambios sin guardar.')
  await expect(windowOf.getByRole('button', { name: 'Seguir editando' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(windowOf.getByRole('alert')).toBeHidden()
  await expect(windowOf.getByLabel('Título')).toHaveValue('A medias')
  await windowOf.getByRole('button', { name: 'Cancelar' }).click()
  await windowOf.getByRole('button', { name: 'Descartar cambios' }).click()
  await expect(windowOf).toBeHidden()
  await expect(page.getByRole('article').getByRole('button', { name: 'Editar' })).toBeFocused()
  // The confirmation was closed with the dialog, and an unchanged event closes at once.
  await edit(page)
  await expect(windowOf.getByLabel('Título')).toHaveValue('Concierto de prueba')
  await expect(windowOf.getByRole('alert')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(windowOf).toBeHidden()
})

test('a second Escape discards the changes', async ({ page }) => {
  await write('MusicEvent/uno', event())
  await openPanel(page, 'Eventos')
  const windowOf = await edit(page)
  await windowOf.getByLabel('Título').fill('A medias')
  await page.keyboard.press('Escape')
  await expect(windowOf.getByRole('alert')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(windowOf).toBeHidden()
  expect(await read('MusicEvent/uno')).toMatchObject({ title: 'Concierto de prueba' })
})

test('an editor is notified when another user changes or deletes the event', async ({ page }) => {
  await write('MusicEvent/uno', event())
  await openPanel(page, 'Eventos')
  const windowOf = await edit(page)
  await windowOf.getByLabel('Lugar').fill('Parque')
  await write('MusicEvent/uno', event({ title: 'De otra mano' }))
  await expect(windowOf.getByRole('alert')).toContainText('Alguien cambió este evento')
  await expect(windowOf.getByLabel('Título')).toHaveValue('Concierto de prueba')
  await erase('MusicEvent/uno')
  await expect(windowOf.getByRole('alert')).toContainText('Alguien eliminó este evento')
  await expect(windowOf.getByLabel('Lugar')).toHaveValue('Parque')
  await windowOf.getByRole('button', { name: 'Crear evento' }).click()
  await expect(windowOf).toBeHidden()
  const [fresh, ...others] = await list('MusicEvent')
  expect(others).toEqual([])
  expect(fresh).toMatchObject({ title: 'Concierto de prueba', location: 'Parque', createdBy: uid })
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
})

test('an own saved change is not reported', async ({ page }) => {
  await write('MusicEvent/uno', event())
  await openPanel(page, 'Eventos')
  const windowOf = await edit(page)
  await page.evaluate(() => {
    new MutationObserver(() => {
      if (document.querySelector('dialog [role=alert]')) document.title = 'alerta'
    }).observe(document.body, { childList: true, subtree: true })
  })
  await windowOf.getByLabel('Lugar').fill('Parque')
  await windowOf.getByRole('button', { name: 'Guardar cambios' }).click()
  await expect(windowOf).toBeHidden()
  await expect(page.getByText('Cambios guardados.')).toBeVisible()
  await expect(page).not.toHaveTitle('alerta')
})

test('an event deleted by another user cannot be restored', async ({ page, context }) => {
  await write('MusicEvent/uno', event())
  await openPanel(page, 'Eventos')
  // The other user's deletion has not arrived yet: the confirmation stays open.
  await page.getByRole('article').getByRole('button', { name: 'Eliminar' }).click()
  const another = await context.newPage()
  await another.goto('/AdminView?tab=eventos')
  await another.getByRole('article').getByRole('button', { name: 'Eliminar' }).click()
  await another.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(another.getByRole('button', { name: 'Deshacer' })).toBeVisible()
  await page.bringToFront()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(page.getByText('Evento eliminado.', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Deshacer' })).toHaveCount(0)
})

test('the confirmation for one event is not affected by the deletion of another', async ({ page }) => {
  await write('MusicEvent/uno', event({ title: 'Primero' }))
  await write('MusicEvent/dos', event({ title: 'Segundo' }))
  await openPanel(page, 'Eventos')
  let release = () => undefined as void
  const pause = new Promise<void>((ready) => {
    release = ready
  })
  await page.route('**/v1/projects/**', async (route) => {
    await pause
    await route.abort()
  })
  const ask = (name: string) => page.getByRole('article', { name: name }).getByRole('button', { name: 'Eliminar' }).click()
  await ask('Primero')
  const notice = page.getByRole('alertdialog')
  const failure = page.waitForEvent('requestfailed')
  await notice.getByRole('button', { name: 'Eliminar' }).click()
  await page.keyboard.press('Escape')
  await ask('Segundo')
  release()
  await failure
  await expect(notice).toContainText('Segundo')
  await expect(notice.getByRole('alert')).toHaveCount(0)
})

test('signing out in one tab closes the panel in the other', async ({ page, context }) => {
  await enter(page)
  const another = await context.newPage()
  await another.goto('/AdminView')
  await expect(another.getByRole('tab').first()).toBeVisible()
  await page.getByRole('button', { name: 'Cerrar sesión' }).click()
  await expect(page).toHaveURL('/')
  await another.waitForURL('**/LogIn')
  await expect(another.getByRole('tab', { name: 'Administradores' })).toHaveCount(0)
})

test('F-804 the end of the rights closes open dialogs', async ({ page }) => {
  await write('MusicEvent/uno', event())
  await openPanel(page, 'Eventos')
  const windowOf = await edit(page)
  await write(`adminusers/${uid}`, { uid, email: admin.email, role: 'editor', active: true, createdAt: new Date() })
  await expect(page.getByText('Tu cuenta no tiene acceso de administración.')).toBeVisible({ timeout: 30_000 })
  await expect(windowOf).toHaveCount(0)
  await expect(page.getByText('Concierto de prueba')).toHaveCount(0)
})

test('the same id in both collections of volunteers is two rows, each with its own details', async ({ page }) => {
  const person = { email: 'v@x.do', phone: '1', createdAt: new Date() }
  await write('voluntaryAplications/a', { ...person, fullName: 'Nueva', message: 'uno', status: 'new', source: 'voluntarios-page' })
  await write('voluntaryApplications/a', { ...person, fullName: 'Antigua', motivation: 'dos' })
  await openPanel(page, 'Voluntarios')
  await expect(page.getByRole('row')).toHaveCount(3)
  for (const [name, can] of [
    ['Antigua', 0],
    ['Nueva', 1],
  ] as const) {
    await page.getByRole('button', { name: name }).click()
    const card = page.getByRole('dialog', { name: name })
    await expect(card).toBeVisible()
    await expect(card.getByRole('combobox')).toHaveCount(can)
    await page.keyboard.press('Escape')
  }
  // The status of old applications cannot be changed: they are not pending.
  await expect(page.getByRole('link', { name: /Solicitudes nuevas/ })).toHaveText('1Solicitudes nuevas')
})

test.describe('on a computer in another zone', () => {
  test.use({ timezoneId: 'Asia/Tokyo' })

  test('D-07 dates are those of Santo Domingo, written and read', async ({ page }) => {
    await openPanel(page, 'Eventos')
    await fill(page, { ...complete, Hora: '23:30' })
    await page.getByRole('button', { name: 'Crear evento' }).click()
    await expect(page.getByText('05 SEP 2031 • 23:30')).toBeVisible()
    const [saved] = await list('MusicEvent')
    expect(saved).toMatchObject({ date: '2031-09-05', time: '23:30', eventDate: new Date('2031-09-06T03:30:00Z') })
    const windowOf = await edit(page)
    await expect(windowOf.getByLabel('Fecha')).toHaveValue('05/09/2031')
    await expect(windowOf.getByLabel('Hora')).toHaveValue('23:30')
  })
})
