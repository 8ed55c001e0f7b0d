import { expect, type Page, test } from '@playwright/test'
import { abrirPanel, crearAdmin, escribir, evento, vaciar } from './admin-mundo'

/** What people write that no line holds: a word without end, two scripts, pictures. */
const PALABRA = 'Otorrinolaringológicamente'.repeat(5)
const CORREO = `${'correo.larguisimo'.repeat(6)}@un-dominio-bastante-largo.ejemplo.org`
const RENGLONES = `${PALABRA}\n\nحفلة موسيقية 🎺 para todos`
const ANCHOS = [360, 768, 1280]

/** The document is as wide as its window, and so is every dialog that is open. */
async function cabe(page: Page, donde: string): Promise<void> {
  const sobra = await page.evaluate(() => {
    const cajas = [document.documentElement, ...document.querySelectorAll('dialog[open], [role=dialog], [role=alertdialog]')]
    return Math.max(...cajas.map((caja) => caja.scrollWidth - caja.clientWidth))
  })
  expect(sobra, donde).toBe(0)
}

const DATOS = {
  title: PALABRA,
  description: RENGLONES,
  location: PALABRA,
  featuredArtist: PALABRA,
  price: 9_999_999.99,
}

test.beforeEach(async () => {
  await vaciar()
  await escribir('MusicEvent/uno', evento(DATOS))
})

for (const width of ANCHOS) {
  test.describe(`at ${width}`, () => {
    test.use({ viewport: { width, height: 800 } })

    test('words without end push nothing out of the public pages', async ({ page }) => {
      await page.goto('/')
      await page.getByRole('button', { name: 'Más información' }).click()
      await expect(page.getByRole('dialog', { name: PALABRA })).toBeVisible()
      await cabe(page, 'home and its dialog')
      await page.getByRole('dialog').getByRole('link', { name: 'Abrir la página del evento' }).click()
      await expect(page.getByRole('heading', { level: 1, name: PALABRA })).toBeVisible()
      await cabe(page, 'event')
      for (const vista of ['mes', 'semana']) {
        await page.goto(`/calendario?vista=${vista}&fecha=2031-09-05&dia=2031-09-05`)
        await expect(page.getByRole('article').getByRole('heading', { name: PALABRA })).toBeVisible()
        await cabe(page, vista)
      }
    })

    test('words without end push nothing out of the panel', async ({ page }) => {
      await crearAdmin({ correo: 'admin@x.do', clave: 'secreta1', nombre: PALABRA })
      const formulario = { fullName: PALABRA, name: PALABRA, email: CORREO, phone: '1'.repeat(40), createdAt: new Date(), status: 'new' }
      await escribir('adminusers/otra', { ...formulario, firstName: PALABRA, lastName: PALABRA, role: 'admin', active: true })
      await escribir('Massive Boletin/uno', { ...formulario, source: 'homepage' })
      await escribir('voluntaryAplications/uno', { ...formulario, message: RENGLONES })
      await escribir('ContactRequests/uno', { ...formulario, subject: PALABRA, message: RENGLONES })
      await escribir('IntrumentRental/uno', { ...formulario, message: RENGLONES })
      await abrirPanel(page, 'Administradores')
      await expect(page.getByText(CORREO)).toBeVisible()
      for (const pestana of ['Administradores', 'Boletín', 'Voluntarios', 'Contactos', 'Instrumentos']) {
        await page.getByRole('tab', { name: pestana }).click()
        await expect(page.getByText(CORREO)).toBeVisible()
        await cabe(page, pestana)
      }
      await page.getByRole('tab', { name: 'Contactos' }).click()
      await page.getByRole('button', { name: PALABRA }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await cabe(page, 'message')
      await page.keyboard.press('Escape')
      await page.getByRole('tab', { name: 'Eventos' }).click()
      const ficha = page.getByRole('article', { name: PALABRA })
      await expect(ficha).toBeVisible()
      await cabe(page, 'events')
      await ficha.getByRole('button', { name: 'Editar' }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await cabe(page, 'editing')
      await page.keyboard.press('Escape')
      await ficha.getByRole('button', { name: 'Eliminar' }).click()
      await expect(page.getByRole('alertdialog')).toBeVisible()
      await cabe(page, 'question')
    })
  })
}
