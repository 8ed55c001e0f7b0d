import { expect, type Page, test } from '@playwright/test'
import { listar } from './admin-mundo'
import { vaciarDatos } from './publico-mundo'

type Caso = {
  ruta: string
  boton: string
  mensaje: string
  campos: Record<string, string>
  opcionales: string[]
  gracias: string
  coleccion: string
}

const FORMULARIOS: Caso[] = [
  {
    ruta: '/contacto',
    boton: 'Enviar mensaje',
    mensaje: 'Completa todos los campos.',
    campos: { Nombre: 'Ana', 'Correo electrónico': 'ana@x.do', Asunto: 'Clases', Mensaje: 'Hola' },
    opcionales: [],
    gracias: '¡Gracias! Recibimos tu mensaje y nos pondremos en contacto.',
    coleccion: 'ContactRequests',
  },
  {
    ruta: '/voluntarios',
    boton: 'Enviar solicitud',
    mensaje: 'Por favor completa nombre, correo y teléfono.',
    campos: { 'Nombre completo': 'Ana', 'Correo electrónico': 'ana@x.do', Teléfono: '809' },
    opcionales: ['Mensaje (opcional)'],
    gracias: '¡Gracias! Recibimos tu solicitud de voluntariado.',
    coleccion: 'voluntaryAplications',
  },
  {
    ruta: '/instrumentos',
    boton: 'Enviar solicitud',
    mensaje: 'Por favor completa nombre, correo y mensaje.',
    campos: { 'Nombre completo': 'Ana', 'Correo electrónico': 'ana@x.do', Mensaje: 'Hola' },
    opcionales: [],
    gracias: 'Tu solicitud fue enviada correctamente.',
    coleccion: 'IntrumentRental',
  },
]

const TODOS: Caso[] = [
  ...FORMULARIOS,
  {
    ruta: '/',
    boton: 'Suscribirme',
    mensaje: 'Ingresa un correo válido.',
    campos: { 'Correo electrónico': 'ana@x.do' },
    opcionales: [],
    gracias: '¡Gracias! Te hemos suscrito al boletín.',
    coleccion: 'Massive Boletin',
  },
]

test.beforeEach(() => vaciarDatos())

const campo = (page: Page, etiqueta: string) => page.getByRole('main').getByLabel(etiqueta, { exact: true })

async function llenar(page: Page, campos: Record<string, string>): Promise<void> {
  for (const [etiqueta, texto] of Object.entries(campos)) await campo(page, etiqueta).fill(texto)
}

for (const { ruta, boton, mensaje, campos, opcionales } of FORMULARIOS) {
  for (const ancho of [360, 768, 1280]) {
    test(`${ruta} at ${ancho} px: the error is in sight, has the focus and leads to every field`, async ({ page }) => {
      await page.setViewportSize({ width: ancho, height: 740 })
      await page.goto(ruta)
      await page.getByRole('button', { name: boton }).click()
      const aviso = page.getByRole('alert')
      await expect(aviso).toHaveText(mensaje)
      await expect(aviso).toBeInViewport({ ratio: 1 })
      const resumen = page.getByRole('group', { name: mensaje })
      await expect(resumen).toBeFocused()
      await expect(resumen.getByRole('link')).toHaveCount(Object.keys(campos).length)
      for (const etiqueta of Object.keys(campos)) {
        await expect(campo(page, etiqueta)).toHaveAttribute('aria-invalid', 'true')
        await expect(campo(page, etiqueta)).toHaveAccessibleDescription('Completa este campo.')
      }
      for (const etiqueta of opcionales) await expect(campo(page, etiqueta)).not.toHaveAttribute('aria-invalid', 'true')
      for (const etiqueta of Object.keys(campos)) {
        await resumen.getByRole('link', { name: etiqueta }).click()
        await expect(campo(page, etiqueta)).toBeFocused()
        await expect(campo(page, etiqueta)).toBeInViewport({ ratio: 1 })
      }
      expect(new URL(page.url()).hash).toBe('')
    })
  }

  test(`${ruta}: a wrong address is told at the field too`, async ({ page }) => {
    await page.goto(ruta)
    await llenar(page, { ...campos, 'Correo electrónico': 'nada' })
    await page.getByRole('button', { name: boton }).click()
    await expect(page.getByRole('alert')).toHaveText('Ingresa un correo válido.')
    await expect(campo(page, 'Correo electrónico')).toHaveAccessibleDescription('Ingresa un correo válido.')
    await expect(page.locator('[aria-invalid=true]')).toHaveCount(1)
  })
}

for (const { ruta, boton, campos, gracias, coleccion } of TODOS) {
  test(`${ruta}: a second press right after the success changes nothing`, async ({ page }) => {
    await page.goto(ruta)
    await llenar(page, campos)
    // Presses again in the very moment in which the page says thanks.
    await page.evaluate((nombre) => {
      const vigia = new MutationObserver(() => {
        const boton = [...document.querySelectorAll('main form button')].find((uno) => uno.textContent === nombre)
        if (!document.querySelector('form .aviso-exito') || !(boton instanceof HTMLButtonElement)) return
        vigia.disconnect()
        boton.click()
        setTimeout(() => boton.click(), 250)
        setTimeout(() => boton.form?.requestSubmit(), 300)
        setTimeout(() => document.body.setAttribute('data-repetido', 'si'), 350)
      })
      vigia.observe(document.body, { subtree: true, childList: true, attributes: true })
    }, boton)
    await page.getByRole('button', { name: boton }).click()
    await expect(page.locator('body[data-repetido]')).toBeAttached()
    await expect(page.getByRole('status').getByText(gracias)).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
    expect(await listar(coleccion)).toHaveLength(1)
  })

  test(`${ruta}: an empty form that is sent later says what is missing`, async ({ page }) => {
    await page.goto(ruta)
    await llenar(page, campos)
    await page.getByRole('button', { name: boton }).click()
    await expect(page.getByRole('status').getByText(gracias)).toBeVisible()
    await campo(page, 'Correo electrónico').fill('x')
    await campo(page, 'Correo electrónico').fill('')
    await page.getByRole('button', { name: boton }).click()
    await expect(page.getByRole('alert')).toBeVisible()
    expect(await listar(coleccion)).toHaveLength(1)
  })
}
