import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page, test } from '@playwright/test'
import { escribir, vaciar } from './admin-mundo'

const ETIQUETAS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const RUTAS = [
  '/',
  '/informacion',
  '/historia',
  '/equipo',
  '/voluntarios',
  '/programas',
  '/instrumentos',
  '/ensambles',
  '/calendario',
  '/contacto',
  '/donar',
  '/privacidad',
  '/no-existe',
]
const TELEFONO = { width: 360, height: 740 }
const ESCRITORIO = { width: 1280, height: 800 }
const AHORA = '2027-09-15T14:00:00-04:00'

/** What axe finds wrong, as one line a rule. */
async function faltas(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(ETIQUETAS).exclude('iframe').analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}

/** An event of the coming days. */
const evento = (dia: string, titulo: string) =>
  escribir(`MusicEvent/${dia}`, {
    title: titulo,
    description: 'Un concierto abierto a toda la comunidad.',
    location: 'Teatro Nacional',
    featuredArtist: 'Coro Infantil',
    price: 0,
    date: dia,
    time: '19:30',
    eventDate: new Date(`${dia}T19:30:00-04:00`),
    isPublished: true,
  })

test.describe.configure({ mode: 'parallel' })
test.use({ reducedMotion: 'reduce' })
test.beforeEach(async ({ page }) => {
  await vaciar()
  await page.clock.setFixedTime(AHORA)
})

for (const [nombre, viewport] of Object.entries({ 'a phone': TELEFONO, 'a desk': ESCRITORIO })) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(`${colorScheme}, on ${nombre}`, () => {
      test.use({ viewport, colorScheme })
      for (const ruta of RUTAS) {
        test(`axe finds nothing on ${ruta}`, async ({ page }) => {
          await page.goto(ruta)
          await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
          expect(await faltas(page)).toEqual([])
        })
      }
    })
  }
}

test.describe('states of the shell', () => {
  test('the open menu, and each of its parts', async ({ page }) => {
    await page.setViewportSize(TELEFONO)
    await page.goto('/')
    await page.getByRole('button', { name: 'Abrir menú' }).click()
    await page.getByRole('button', { name: 'Informaciones' }).click()
    await page.getByRole('button', { name: 'Programas' }).click()
    expect(await faltas(page)).toEqual([])
  })

  for (const nombre of ['Informaciones', 'Programas']) {
    test(`the open dropdown «${nombre}»`, async ({ page }) => {
      await page.setViewportSize(ESCRITORIO)
      await page.goto('/historia')
      await page.getByRole('button', { name: nombre }).click()
      expect(await faltas(page)).toEqual([])
    })
  }
})

test.describe('states of pages', () => {
  test('the dialog of an event', async ({ page }) => {
    await evento('2027-09-20', 'Concierto de prueba')
    await page.goto('/')
    await page.getByRole('button', { name: 'Más información' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    expect(await faltas(page)).toEqual([])
  })

  test('the dialog of a program', async ({ page }) => {
    await page.goto('/programas')
    await page
      .getByRole('button', { name: /^Ver Detalles/ })
      .first()
      .click()
    expect(await faltas(page)).toEqual([])
  })

  test('an open panel of an ensemble', async ({ page }) => {
    await page.goto('/ensambles')
    await page.locator('main summary').first().click()
    expect(await faltas(page)).toEqual([])
  })

  test('an open question', async ({ page }) => {
    await page.goto('/instrumentos')
    await page.locator('main summary').first().click()
    expect(await faltas(page)).toEqual([])
  })

  test('a form with an error', async ({ page }) => {
    await page.goto('/contacto')
    await page.getByRole('button', { name: 'Enviar mensaje' }).click()
    await expect(page.getByRole('alert')).toBeVisible()
    expect(await faltas(page)).toEqual([])
  })

  test('a chosen day of the calendar, in both views', async ({ page }) => {
    await evento('2027-09-20', 'Concierto de prueba')
    await page.goto('/calendario')
    await page.getByRole('gridcell', { name: /20 de septiembre/ }).click()
    expect(await faltas(page)).toEqual([])
    await page.getByRole('button', { name: 'Semana', exact: true }).click()
    expect(await faltas(page)).toEqual([])
  })
})

test('P-09 with reduced motion nothing moves by itself', async ({ page }) => {
  await page.goto('/')
  const movimientos = await page.evaluate(() => document.getAnimations().filter((animacion) => animacion.playState === 'running').length)
  expect(movimientos).toBe(0)
})

test('P-10 a keyboard alone goes from the address to the content, past the bar', async ({ page }) => {
  await page.setViewportSize(ESCRITORIO)
  await page.goto('/donar')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Saltar al contenido' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  const dentro = await page.evaluate(() => document.querySelector('main')?.contains(document.activeElement))
  expect(dentro).toBe(true)
})

test('P-10 every stop of the keyboard is seen: an outline of at least 2 px', async ({ page }) => {
  await page.setViewportSize(ESCRITORIO)
  await page.goto('/ensambles')
  for (let parada = 0; parada < 25; parada++) {
    await page.keyboard.press('Tab')
    const { nombre, ancho } = await page.evaluate(() => {
      const foco = document.activeElement
      if (!foco || foco === document.body) return { nombre: 'fin', ancho: 2 }
      return { nombre: foco.textContent, ancho: Number.parseFloat(getComputedStyle(foco).outlineWidth) }
    })
    expect(ancho, nombre ?? '').toBeGreaterThanOrEqual(2)
  }
})
