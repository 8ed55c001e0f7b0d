import { expect, type Page, test } from '@playwright/test'
import { list } from './admin-world'
import { clearData } from './public-world'

type Case = {
  route: string
  button: string
  message: string
  fields: Record<string, string>
  optionals: string[]
  thanks: string
  collectionName: string
}

const FORMS: Case[] = [
  {
    route: '/contacto',
    button: 'Enviar mensaje',
    message: 'Completa todos los campos.',
    fields: { Nombre: 'Ana', 'Correo electrónico': 'ana@x.do', Asunto: 'Clases', Mensaje: 'Hola' },
    optionals: [],
    thanks: '¡Gracias! Recibimos tu mensaje y nos pondremos en contacto.',
    collectionName: 'ContactRequests',
  },
  {
    route: '/voluntarios',
    button: 'Enviar solicitud',
    message: 'Por favor completa nombre, correo y teléfono.',
    fields: { 'Nombre completo': 'Ana', 'Correo electrónico': 'ana@x.do', Teléfono: '809' },
    optionals: ['Mensaje (opcional)'],
    thanks: '¡Gracias! Recibimos tu solicitud de voluntariado.',
    collectionName: 'voluntaryAplications',
  },
  {
    route: '/instrumentos',
    button: 'Enviar solicitud',
    message: 'Por favor completa nombre, correo y mensaje.',
    fields: { 'Nombre completo': 'Ana', 'Correo electrónico': 'ana@x.do', Mensaje: 'Hola' },
    optionals: [],
    thanks: 'Tu solicitud fue enviada correctamente.',
    collectionName: 'IntrumentRental',
  },
]

const ALL: Case[] = [
  ...FORMS,
  {
    route: '/',
    button: 'Suscribirme',
    message: 'Ingresa un correo válido.',
    fields: { 'Correo electrónico': 'ana@x.do' },
    optionals: [],
    thanks: '¡Gracias! Te hemos suscrito al boletín.',
    collectionName: 'Massive Boletin',
  },
]

test.beforeEach(() => clearData())

const field = (page: Page, label: string) => page.getByRole('main').getByLabel(label, { exact: true })

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) await field(page, label).fill(text)
}

for (const { route, button, message, fields, optionals } of FORMS) {
  for (const width of [360, 768, 1280]) {
    test(`${route} at ${width} px: the error is in sight, has the focus and leads to every field`, async ({ page }) => {
      await page.setViewportSize({ width: width, height: 740 })
      await page.goto(route)
      await page.getByRole('button', { name: button }).click()
      const notice = page.getByRole('alert')
      await expect(notice).toHaveText(message)
      await expect(notice).toBeInViewport({ ratio: 1 })
      const summary = page.getByRole('group', { name: message })
      await expect(summary).toBeFocused()
      await expect(summary.getByRole('link')).toHaveCount(Object.keys(fields).length)
      for (const label of Object.keys(fields)) {
        await expect(field(page, label)).toHaveAttribute('aria-invalid', 'true')
        await expect(field(page, label)).toHaveAccessibleDescription('Completa este campo.')
      }
      for (const label of optionals) await expect(field(page, label)).not.toHaveAttribute('aria-invalid', 'true')
      for (const label of Object.keys(fields)) {
        await summary.getByRole('link', { name: label }).click()
        await expect(field(page, label)).toBeFocused()
        await expect(field(page, label)).toBeInViewport({ ratio: 1 })
      }
      expect(new URL(page.url()).hash).toBe('')
    })
  }

  test(`${route}: a wrong address is told at the field too`, async ({ page }) => {
    await page.goto(route)
    await fill(page, { ...fields, 'Correo electrónico': 'nada' })
    await page.getByRole('button', { name: button }).click()
    await expect(page.getByRole('alert')).toHaveText('Ingresa un correo válido.')
    await expect(field(page, 'Correo electrónico')).toHaveAccessibleDescription('Ingresa un correo válido.')
    await expect(page.locator('[aria-invalid=true]')).toHaveCount(1)
  })
}

for (const { route, button, fields, thanks, collectionName } of ALL) {
  test(`${route}: a second press right after the success changes nothing`, async ({ page }) => {
    await page.goto(route)
    await fill(page, fields)
    // Presses again at the moment at which the page shows its thanks.
    await page.evaluate((name) => {
      const watcher = new MutationObserver(() => {
        const button = [...document.querySelectorAll('main form button')].find((one) => one.textContent === name)
        if (!document.querySelector('form .aviso-exito') || !(button instanceof HTMLButtonElement)) return
        watcher.disconnect()
        button.click()
        setTimeout(() => button.click(), 250)
        setTimeout(() => button.form?.requestSubmit(), 300)
        setTimeout(() => document.body.setAttribute('data-repetido', 'si'), 350)
      })
      watcher.observe(document.body, { subtree: true, childList: true, attributes: true })
    }, button)
    await page.getByRole('button', { name: button }).click()
    await expect(page.locator('body[data-repetido]')).toBeAttached()
    await expect(page.getByRole('status').getByText(thanks)).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
    expect(await list(collectionName)).toHaveLength(1)
  })

  test(`${route}: an empty form that is sent later says what is missing`, async ({ page }) => {
    await page.goto(route)
    await fill(page, fields)
    await page.getByRole('button', { name: button }).click()
    await expect(page.getByRole('status').getByText(thanks)).toBeVisible()
    await field(page, 'Correo electrónico').fill('x')
    await field(page, 'Correo electrónico').fill('')
    await page.getByRole('button', { name: button }).click()
    await expect(page.getByRole('alert')).toBeVisible()
    expect(await list(collectionName)).toHaveLength(1)
  })
}
