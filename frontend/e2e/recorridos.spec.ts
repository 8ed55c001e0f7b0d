import { expect, type Locator, type Page, test } from '@playwright/test'
import { PUBLICAS } from '../src/meta'
import { admin, crearAdmin, escribir, evento, leer, listar, vaciar } from './admin-mundo'
import { AHORA, pararReloj, sembrar, vaciarDatos } from './publico-mundo'

test.use({ viewport: { width: 1280, height: 800 } })

/** Presses Tab until something has the focus. At every stop the focus is seen: an outline of at least 2 px. */
async function llegarA(page: Page, meta: Locator, paradas = 60): Promise<void> {
  for (let i = 0; i < paradas; i++) {
    const { donde, ancho } = await page.evaluate(() => {
      const foco = document.activeElement
      // The content itself is a place to start from, not a stop.
      if (!foco || foco.matches('body, main')) return { donde: '', ancho: 2 }
      return { donde: foco.outerHTML.slice(0, 120), ancho: Number.parseFloat(getComputedStyle(foco).outlineWidth) }
    })
    expect(ancho, donde).toBeGreaterThanOrEqual(2)
    if (await meta.evaluate((nodo) => nodo === document.activeElement).catch(() => false)) return
    await page.keyboard.press('Tab')
  }
  await expect(meta).toBeFocused()
}

/** Goes to something by Tab and presses it. */
async function pulsar(page: Page, meta: Locator, tecla = 'Enter'): Promise<void> {
  await llegarA(page, meta)
  await page.keyboard.press(tecla)
}

test('P-10 who sends a form by the keyboard, or presses twice, keeps the focus on its button', async ({ page }) => {
  await vaciar()
  await crearAdmin()
  await page.goto('/contacto')
  for (const campo of ['Nombre', 'Correo electrónico', 'Asunto', 'Mensaje'])
    await page.getByRole('main').getByLabel(campo, { exact: true }).fill('a@b.do')
  const enviar = page.getByRole('button', { name: 'Enviar mensaje' })
  // The second press meets a button that is disabled by now.
  await enviar.dblclick()
  await expect(page.getByText('¡Gracias! Recibimos tu mensaje')).toBeVisible()
  await expect(enviar).toBeFocused()
  await page.goto('/LogIn')
  await page.getByLabel('Correo electrónico').fill(admin.correo)
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
  await page.getByLabel('Correo electrónico').fill(admin.correo)
  await page.getByLabel('Contraseña').fill(admin.clave)
  await page.getByLabel('Contraseña').press('Enter')
  await page.getByRole('tab', { name: 'Eventos' }).click()
  const campos = { Título: 'T', Descripción: 'D', Fecha: '2031-09-05', Hora: '19:30', Lugar: 'L' }
  for (const [campo, valor] of Object.entries(campos)) await page.getByLabel(campo, { exact: true }).fill(valor)
  await page.getByRole('button', { name: 'Crear evento' }).press('Enter')
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Crear evento' })).toBeFocused()
})

test('P-10 a keyboard alone: home, event, calendar, contact', async ({ page }) => {
  await vaciarDatos()
  await sembrar('uno', '2027-09-18', '19:30', { title: 'Noche de son' })
  await page.clock.setFixedTime(AHORA)
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Más información' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Saltar al contenido' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  await pulsar(page, page.getByRole('button', { name: 'Más información' }))
  const ventana = page.getByRole('dialog', { name: 'Noche de son' })
  await expect(ventana.getByRole('button', { name: 'Cerrar' })).toBeFocused()
  // The focus stays inside: neither end of the dialog leads to the page behind it.
  for (const tecla of ['Shift+Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab']) {
    await page.keyboard.press(tecla)
    const fuera = await page.evaluate(() => {
      const foco = document.activeElement
      return foco !== null && foco !== document.body && !foco.closest('dialog')
    })
    expect(fuera).toBe(false)
  }
  await page.keyboard.press('Escape')
  await expect(ventana).toBeHidden()
  await expect(page.getByRole('button', { name: 'Más información' })).toBeFocused()

  await page.goto('/')
  const barra = page.getByRole('navigation', { name: 'Principal' })
  await llegarA(page, barra.getByRole('button', { name: 'Programas' }))
  await pulsar(page, barra.getByRole('link', { name: 'Calendario' }))
  await expect(page).toHaveURL(/\/calendario$/)
  const hoy = page.getByRole('gridcell').getByRole('button', { name: /15 de septiembre.*hoy/ })
  await llegarA(page, hoy)
  for (const tecla of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(tecla)
  await expect(page.getByRole('heading', { name: /Eventos del sábado 18 de septiembre/ })).toBeVisible()
  await llegarA(page, page.getByRole('link', { name: 'Agregar a Google Calendar' }))

  await page.goto('/')
  await pulsar(page, barra.getByRole('link', { name: 'Contactos' }))
  await expect(page).toHaveURL(/\/contacto$/)
  await llegarA(page, page.getByLabel('Nombre'))
  for (const texto of ['Ana Pérez', 'ana@correo.do', 'Clases', 'Hola.']) {
    await page.keyboard.type(texto)
    await page.keyboard.press('Tab')
  }
  await pulsar(page, page.getByRole('button', { name: 'Enviar mensaje' }))
  await expect(page.getByRole('status').getByText(/¡Gracias! Recibimos tu mensaje/)).toBeVisible()
  expect(await listar('ContactRequests')).toMatchObject([
    { name: 'Ana Pérez', email: 'ana@correo.do', subject: 'Clases', message: 'Hola.' },
  ])
})

/** Moves along the tabs with an arrow key, each press after the focus of the one before has arrived, as a hand does. */
async function pasarPestanas(page: Page, tecla: 'ArrowLeft' | 'ArrowRight', veces: number) {
  const pestanas = page.getByRole('tab')
  const enfocada = () => pestanas.evaluateAll((todas) => todas.indexOf(document.activeElement as HTMLElement))
  for (let i = 0; i < veces; i++) {
    const antes = await enfocada()
    await page.keyboard.press(tecla)
    await expect.poll(enfocada).toBe(antes + (tecla === 'ArrowRight' ? 1 : -1))
  }
}

test('P-10 a keyboard alone: in, a message moved along, an event deleted and back, out', async ({ page }) => {
  await vaciar()
  await crearAdmin()
  await escribir('MusicEvent/uno', evento())
  await escribir('ContactRequests/uno', {
    name: 'Luis',
    email: 'l@x.do',
    subject: 'Clases',
    message: 'Hola',
    status: 'new',
    createdAt: new Date(),
  })
  await page.goto('/LogIn')
  await llegarA(page, page.getByLabel('Correo electrónico'))
  await page.keyboard.type(admin.correo)
  await llegarA(page, page.getByLabel('Contraseña'))
  await page.keyboard.type(admin.clave)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/AdminView')
  await llegarA(page, page.getByRole('tab', { name: 'Administradores' }))
  await pasarPestanas(page, 'ArrowRight', 4)
  await expect(page.getByRole('tab', { name: 'Contactos' })).toBeFocused()
  await pulsar(page, page.getByRole('button', { name: 'Luis' }))
  const ficha = page.getByRole('dialog', { name: 'Clases' })
  await llegarA(page, ficha.getByLabel('Estado'))
  await page.keyboard.type('Res')
  await expect(page.getByText('Estado actualizado.')).toBeVisible()
  expect(await leer('ContactRequests/uno')).toMatchObject({ status: 'resolved' })
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Luis' })).toBeFocused()

  await page.getByRole('tab', { name: 'Contactos' }).focus()
  await pasarPestanas(page, 'ArrowLeft', 3)
  await expect(page.getByRole('tab', { name: 'Eventos' })).toBeFocused()
  await pulsar(page, page.getByRole('article').getByRole('button', { name: 'Eliminar' }))
  await pulsar(page, page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }))
  await expect(page.getByText('Aún no hay eventos.')).toBeVisible()
  await pulsar(page, page.getByRole('button', { name: 'Deshacer' }))
  await expect(page.getByRole('article', { name: 'Concierto de prueba' })).toBeVisible()
  await page.goto('/AdminView')
  await pulsar(page, page.getByRole('button', { name: 'Cerrar sesión' }))
  await expect(page).toHaveURL('/')
})

test.describe('with less motion', () => {
  test.use({ reducedMotion: 'reduce' })

  test('P-09 nothing moves by itself on any page, nor when something opens', async ({ page }) => {
    await vaciar()
    await crearAdmin()
    await sembrar('uno', '2027-09-18', '19:30')
    await pararReloj(page)
    const quieto = async (donde: string) => {
      const mueven = await page.evaluate(
        () =>
          document.getAnimations().filter(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().duration !== 0)
            .length,
      )
      expect(mueven, donde).toBe(0)
    }
    for (const ruta of PUBLICAS) {
      await page.goto(ruta)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await page.mouse.wheel(0, 600)
      await quieto(ruta)
    }
    await page.goto('/')
    const galeria = page.getByRole('region', { name: 'Galería principal' })
    await expect(galeria.getByRole('button', { name: 'Reanudar' })).toBeVisible()
    const antes = await galeria.locator('[aria-current]').getAttribute('aria-label')
    await page.getByRole('button', { name: 'Más información' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await quieto('event dialog')
    await page.keyboard.press('Escape')
    // The strip stands still: it is a row that one scrolls, without its second copy.
    await expect(page.getByRole('region', { name: 'Nuestra Inspiración' }).getByRole('img')).toHaveCount(10)
    // Only time shows that the gallery stands still.
    await page.waitForTimeout(6000)
    await expect(galeria.locator('[aria-current]')).toHaveAttribute('aria-label', antes ?? '')
    await page.clock.setSystemTime(Date.now())
    await page.goto('/LogIn')
    await page.getByLabel('Correo electrónico').fill(admin.correo)
    await page.getByLabel('Contraseña').fill(admin.clave)
    await page.getByRole('button', { name: 'Entrar' }).click()
    await page.waitForURL('**/AdminView')
    await page.getByRole('tab', { name: 'Eventos' }).click()
    await page.getByRole('article').getByRole('button', { name: 'Eliminar' }).click()
    await expect(page.getByRole('alertdialog')).toBeVisible()
    await quieto('panel')
  })
})
