import { expect, type Locator, type Page, test } from '@playwright/test'
import { PUBLIC_PATHS } from '../src/paths'
import { admin, createAdmin, write, event, read, list, clear } from './admin-world'
import { NOW, stopClock, seed, clearData } from './public-world'

test.use({ viewport: { width: 1280, height: 800 } })

/** Presses Tab until an element has the focus. At every stop the focus must be visible: an outline of at least 2 px. */
async function arriveAt(page: Page, meta: Locator, stops = 60): Promise<void> {
  for (let i = 0; i < stops; i++) {
    const { where, width } = await page.evaluate(() => {
      const focus = document.activeElement
      // The content element is a target of the focus, but not a stop.
      if (!focus || focus.matches('body, main')) return { where: '', width: 2 }
      return { where: focus.outerHTML.slice(0, 120), width: Number.parseFloat(getComputedStyle(focus).outlineWidth) }
    })
    expect(width, where).toBeGreaterThanOrEqual(2)
    if (await meta.evaluate((node) => node === document.activeElement).catch(() => false)) return
    await page.keyboard.press('Tab')
  }
  await expect(meta).toBeFocused()
}

/** Moves to an element with Tab and presses it. */
async function click(page: Page, meta: Locator, key = 'Enter'): Promise<void> {
  await arriveAt(page, meta)
  await page.keyboard.press(key)
}

test('P-10 sending a form by keyboard, or pressing twice, keeps the focus on its button', async ({ page }) => {
  await clear()
  await createAdmin()
  await page.goto('/contacto')
  for (const field of ['Nombre', 'Correo electrónico', 'Asunto', 'Mensaje'])
    await page.getByRole('main').getByLabel(field, { exact: true }).fill('a@b.do')
  const send = page.getByRole('button', { name: 'Enviar mensaje' })
  // The button is disabled at the second press.
  await send.dblclick()
  await expect(page.getByText('¡Gracias! Recibimos tu mensaje')).toBeVisible()
  await expect(send).toBeFocused()
  await page.goto('/LogIn')
  await page.getByLabel('Correo electrónico').fill(admin.email)
  await page.getByLabel('Contraseña').fill('otra-clave')
  await page.getByRole('button', { name: 'Entrar' }).press('Enter')
  await expect(page.getByRole('alert')).toHaveText('Credenciales inválidas.')
  await expect(page.getByRole('button', { name: 'Entrar' })).toBeFocused()
  await page.getByRole('tab', { name: 'Crear cuenta' }).click()
  await page.getByLabel('Código secreto').fill('no-es')
  await page.getByRole('button', { name: 'Verificar código' }).press('Enter')
  await expect(page.getByText('Código secreto incorrecto.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Verificar código' })).toBeFocused()
  await page.goto('/LogIn')
  await page.getByLabel('Correo electrónico').fill(admin.email)
  await page.getByLabel('Contraseña').fill(admin.key)
  await page.getByLabel('Contraseña').press('Enter')
  await page.getByRole('tab', { name: 'Eventos' }).click()
  const fields = { Título: 'T', Descripción: 'D', Fecha: '2031-09-05', Hora: '19:30', Lugar: 'L' }
  for (const [field, value] of Object.entries(fields)) await page.getByLabel(field, { exact: true }).fill(value)
  await page.getByRole('button', { name: 'Crear evento' }).press('Enter')
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Crear evento' })).toBeFocused()
})

test('P-10 a keyboard alone: home, event, calendar, contact', async ({ page }) => {
  await clearData()
  await seed('uno', '2027-09-18', '19:30', { title: 'Noche de son' })
  await page.clock.setFixedTime(NOW)
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Más información' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Saltar al contenido' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  await click(page, page.getByRole('button', { name: 'Más información' }))
  const windowOf = page.getByRole('dialog', { name: 'Noche de son' })
  await expect(windowOf.getByRole('button', { name: 'Cerrar' })).toBeFocused()
  // The focus stays inside the dialog in both directions.
  for (const key of ['Shift+Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab']) {
    await page.keyboard.press(key)
    const outside = await page.evaluate(() => {
      const focus = document.activeElement
      return focus !== null && focus !== document.body && !focus.closest('dialog')
    })
    expect(outside).toBe(false)
  }
  await page.keyboard.press('Escape')
  await expect(windowOf).toBeHidden()
  await expect(page.getByRole('button', { name: 'Más información' })).toBeFocused()

  await page.goto('/')
  const bar = page.getByRole('navigation', { name: 'Principal' })
  await arriveAt(page, bar.getByRole('button', { name: 'Programas' }))
  await click(page, bar.getByRole('link', { name: 'Calendario' }))
  await expect(page).toHaveURL(/\/calendario$/)
  const today = page.getByRole('gridcell').getByRole('button', { name: /15 de septiembre.*hoy/ })
  await arriveAt(page, today)
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
  await expect(page.getByRole('heading', { name: /Eventos del sábado 18 de septiembre/ })).toBeVisible()
  await arriveAt(page, page.getByRole('link', { name: 'Agregar a Google Calendar' }))

  await page.goto('/')
  await click(page, bar.getByRole('link', { name: 'Contactos' }))
  await expect(page).toHaveURL(/\/contacto$/)
  await arriveAt(page, page.getByLabel('Nombre'))
  for (const text of ['Ana Pérez', 'ana@correo.do', 'Clases', 'Hola.']) {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
  await click(page, page.getByRole('button', { name: 'Enviar mensaje' }))
  await expect(page.getByRole('status').getByText(/¡Gracias! Recibimos tu mensaje/)).toBeVisible()
  expect(await list('ContactRequests')).toMatchObject([{ name: 'Ana Pérez', email: 'ana@correo.do', subject: 'Clases', message: 'Hola.' }])
})

/** Moves along the tabs with an arrow key. Each press waits for the focus of the previous one. */
async function tabThrough(page: Page, key: 'ArrowLeft' | 'ArrowRight', times: number) {
  const tabs = page.getByRole('tab')
  const focusedTab = () => tabs.evaluateAll((all) => all.indexOf(document.activeElement as HTMLElement))
  for (let i = 0; i < times; i++) {
    const before = await focusedTab()
    await page.keyboard.press(key)
    await expect.poll(focusedTab).toBe(before + (key === 'ArrowRight' ? 1 : -1))
  }
}

test('P-10 a keyboard alone: in, a message moved along, an event deleted and back, out', async ({ page }) => {
  await clear()
  await createAdmin()
  await write('MusicEvent/uno', event())
  await write('ContactRequests/uno', {
    name: 'Luis',
    email: 'l@x.do',
    subject: 'Clases',
    message: 'Hola',
    status: 'new',
    createdAt: new Date(),
  })
  await page.goto('/LogIn')
  await arriveAt(page, page.getByLabel('Correo electrónico'))
  await page.keyboard.type(admin.email)
  await arriveAt(page, page.getByLabel('Contraseña'))
  await page.keyboard.type(admin.key)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/AdminView')
  await arriveAt(page, page.getByRole('tab', { name: 'Administradores' }))
  await tabThrough(page, 'ArrowRight', 4)
  await expect(page.getByRole('tab', { name: 'Contactos' })).toBeFocused()
  await click(page, page.getByRole('button', { name: 'Luis' }))
  const card = page.getByRole('dialog', { name: 'Clases' })
  await arriveAt(page, card.getByLabel('Estado'))
  await page.keyboard.type('Res')
  await expect(page.getByText('Estado actualizado.')).toBeVisible()
  expect(await read('ContactRequests/uno')).toMatchObject({ status: 'resolved' })
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Luis' })).toBeFocused()

  await page.getByRole('tab', { name: 'Contactos' }).focus()
  await tabThrough(page, 'ArrowLeft', 3)
  await expect(page.getByRole('tab', { name: 'Eventos' })).toBeFocused()
  await click(page, page.getByRole('article').getByRole('button', { name: 'Eliminar' }))
  await click(page, page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }))
  await expect(page.getByText('Aún no hay eventos.')).toBeVisible()
  await click(page, page.getByRole('button', { name: 'Deshacer' }))
  await expect(page.getByRole('article', { name: 'Concierto de prueba' })).toBeVisible()
  await page.goto('/AdminView')
  await click(page, page.getByRole('button', { name: 'Cerrar sesión' }))
  await expect(page).toHaveURL('/')
})

test.describe('with less motion', () => {
  test.use({ reducedMotion: 'reduce' })

  test('P-09 nothing moves by itself on any page, nor when something opens', async ({ page }) => {
    await clear()
    await createAdmin()
    await seed('uno', '2027-09-18', '19:30')
    await stopClock(page)
    const still = async (where: string) => {
      const moving = await page.evaluate(
        () =>
          document.getAnimations().filter(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().duration !== 0)
            .length,
      )
      expect(moving, where).toBe(0)
    }
    for (const route of PUBLIC_PATHS) {
      await page.goto(route)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await page.mouse.wheel(0, 600)
      await still(route)
    }
    await page.goto('/')
    const gallery = page.getByRole('region', { name: 'Galería principal' })
    await expect(gallery.getByRole('button', { name: 'Reanudar' })).toBeVisible()
    const before = await gallery.locator('[aria-current]').getAttribute('aria-label')
    await page.getByRole('button', { name: 'Más información' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await still('event dialog')
    await page.keyboard.press('Escape')
    // With reduced motion the strip is a scrollable row without its second copy.
    const strip = page.getByRole('region', { name: 'Nuestra Inspiración' })
    await strip.scrollIntoViewIfNeeded()
    await expect(strip.getByRole('img')).toHaveCount(10)
    await page.clock.runFor(6000)
    await expect(gallery.locator('[aria-current]')).toHaveAttribute('aria-label', before ?? '')
    await page.clock.setSystemTime(Date.now())
    await page.goto('/LogIn')
    await page.getByLabel('Correo electrónico').fill(admin.email)
    await page.getByLabel('Contraseña').fill(admin.key)
    await page.getByRole('button', { name: 'Entrar' }).click()
    await page.waitForURL('**/AdminView')
    await page.getByRole('tab', { name: 'Eventos' }).click()
    await page.getByRole('article').getByRole('button', { name: 'Eliminar' }).click()
    await expect(page.getByRole('alertdialog')).toBeVisible()
    await still('panel')
  })
})
