import { expect, type Page, test } from '@playwright/test'
import { openPanel, createAdmin, write, event, clear } from './admin-world'

/** Texts that do not fit on a line: a very long word, two scripts, emoji. */
const WORD = 'Otorrinolaringológicamente'.repeat(5)
const EMAIL = `${'correo.larguisimo'.repeat(6)}@un-dominio-bastante-largo.ejemplo.org`
const LINES = `${WORD}\n\nحفلة موسيقية 🎺 para todos`
const WIDTHS = [360, 768, 1280]

/** Checks that the document is as wide as its window, and so is every open dialog. */
async function fits(page: Page, where: string): Promise<void> {
  const excess = await page.evaluate(() => {
    const boxes = [document.documentElement, ...document.querySelectorAll('dialog[open], [role=dialog], [role=alertdialog]')]
    return Math.max(...boxes.map((box) => box.scrollWidth - box.clientWidth))
  })
  expect(excess, where).toBe(0)
}

const DATA = {
  title: WORD,
  description: LINES,
  location: WORD,
  featuredArtist: WORD,
  price: 9_999_999.99,
}

test.beforeEach(async () => {
  await clear()
  await write('MusicEvent/uno', event(DATA))
})

for (const width of WIDTHS) {
  test.describe(`at ${width}`, () => {
    test.use({ viewport: { width, height: 800 } })

    test('very long words do not break the public pages', async ({ page }) => {
      await page.goto('/')
      await page.getByRole('button', { name: 'Más información' }).click()
      await expect(page.getByRole('dialog', { name: WORD })).toBeVisible()
      await fits(page, 'home and its dialog')
      await page.getByRole('dialog').getByRole('link', { name: 'Abrir la página del evento' }).click()
      await expect(page.getByRole('heading', { level: 1, name: WORD })).toBeVisible()
      await fits(page, 'event')
      for (const view of ['mes', 'semana']) {
        await page.goto(`/calendario?vista=${view}&fecha=2031-09-05&dia=2031-09-05`)
        await expect(page.getByRole('article').getByRole('heading', { name: WORD })).toBeVisible()
        await fits(page, view)
      }
    })

    test('very long words do not break the panel', async ({ page }) => {
      await createAdmin({ email: 'admin@x.do', key: 'secreta1', name: WORD })
      const form = { fullName: WORD, name: WORD, email: EMAIL, phone: '1'.repeat(40), createdAt: new Date(), status: 'new' }
      await write('adminusers/otra', { ...form, firstName: WORD, lastName: WORD, role: 'admin', active: true })
      await write('Massive Boletin/uno', { ...form, source: 'homepage' })
      await write('voluntaryAplications/uno', { ...form, message: LINES })
      await write('ContactRequests/uno', { ...form, subject: WORD, message: LINES })
      await write('IntrumentRental/uno', { ...form, message: LINES })
      await openPanel(page, 'Administradores')
      await expect(page.getByText(EMAIL)).toBeVisible()
      for (const tab of ['Administradores', 'Boletín', 'Voluntarios', 'Contactos', 'Instrumentos']) {
        await page.getByRole('tab', { name: tab }).click()
        // On a narrow screen the address of a form is in its details.
        await expect(page.getByRole('row').filter({ hasText: EMAIL })).toBeVisible()
        await fits(page, tab)
      }
      await page.getByRole('tab', { name: 'Contactos' }).click()
      await page.getByRole('button', { name: WORD }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await fits(page, 'message')
      await page.keyboard.press('Escape')
      await page.getByRole('tab', { name: 'Eventos' }).click()
      const card = page.getByRole('article', { name: WORD })
      await expect(card).toBeVisible()
      await fits(page, 'events')
      await card.getByRole('button', { name: 'Editar' }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await fits(page, 'editing')
      await page.keyboard.press('Escape')
      await card.getByRole('button', { name: 'Eliminar' }).click()
      await expect(page.getByRole('alertdialog')).toBeVisible()
      await fits(page, 'question')
    })
  })
}
