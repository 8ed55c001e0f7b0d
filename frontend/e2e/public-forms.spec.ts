import { expect, type Page, test } from '@playwright/test'
import { list } from './admin-world'
import { countWrites, expectForm, stopClock, hold, clearData } from './public-world'

test.beforeEach(async ({ page }) => {
  await clearData()
  await stopClock(page)
})

/** Fills fields by their labels. */
async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  const form = page.getByRole('main')
  for (const [label, text] of Object.entries(fields)) await form.getByLabel(label, { exact: true }).fill(text)
}

test.describe('contact', () => {
  const bien = {
    Nombre: ' Ana Pérez ',
    'Correo electrónico': ' Ana@Correo.DO ',
    Asunto: ' Clases ',
    Mensaje: ' Hola, quiero saber más. ',
  }
  const send = (page: Page) => page.getByRole('button', { name: 'Enviar mensaje' }).click()

  test('S-042 shows every way to reach the foundation, and a map on request', async ({ page }) => {
    await page.goto('/contacto')
    const data = page.getByRole('region', { name: 'Dónde encontrarnos' })
    await expect(data.locator('a[href^="tel:"]')).toBeVisible()
    await expect(data.locator('a[href^="mailto:"]')).toBeVisible()
    await expect(data.locator('a[href^="https://wa.me/"]')).toBeVisible()
    await expect(data.getByText('Santo Domingo Este')).toBeVisible()
    await expect(data.getByText('Lunes a sábado, 9:00 AM – 4:00 PM (AST)')).toBeVisible()
    await expect(data.getByRole('link', { name: /Instagram/ })).toBeVisible()
    await expect(data.getByRole('link', { name: /YouTube/ })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Cómo llegar' })).toBeVisible()
    await page.route('https://www.openstreetmap.org/**', (route) => route.fulfill({ contentType: 'text/html', body: 'mapa' }))
    await page.getByRole('button', { name: 'Mostrar mapa' }).click()
    await expect(page.getByTitle('Mapa: cómo llegar')).toBeVisible()
  })

  for (const [moment, state] of [
    ['2027-09-19T10:00:00-04:00', 'Cerrado ahora'],
    ['2027-09-20T10:00:00-04:00', 'Abierto ahora'],
  ] as const) {
    test(`S-119 at ${moment} says ${state}`, async ({ page }) => {
      await stopClock(page, moment)
      await page.goto('/contacto')
      await expect(page.getByText(state)).toBeVisible()
    })
  }

  test('S-047 stores a message', async ({ page }) => {
    await page.goto('/contacto')
    await fill(page, bien)
    await send(page)
    await expect(page.getByRole('status').getByText('¡Gracias! Recibimos tu mensaje y nos pondremos en contacto.')).toBeVisible()
    for (const label of Object.keys(bien)) await expect(page.getByLabel(label, { exact: true })).toHaveValue('')
    const savedList = await list('ContactRequests')
    expect(savedList).toHaveLength(1)
    expectForm(savedList[0], {
      name: 'Ana Pérez',
      email: 'ana@correo.do',
      subject: 'Clases',
      message: 'Hola, quiero saber más.',
      status: 'new',
    })
  })

  test('S-048 requires every field', async ({ page }) => {
    const writes = countWrites(page)
    await page.goto('/contacto')
    for (const label of Object.keys(bien)) {
      for (const empty of ['', '   ']) {
        await fill(page, { ...bien, [label]: empty })
        await send(page)
        await expect(page.getByRole('alert')).toHaveText('Completa todos los campos.')
        await expect(page.getByRole('group', { name: 'Completa todos los campos.' })).toBeFocused()
        await expect(page.getByLabel(label, { exact: true })).toHaveAttribute('aria-invalid', 'true')
      }
    }
    expect(writes.howMany()).toBe(0)
  })

  test('D-06 uses the browser’s check of addresses', async ({ page }) => {
    await page.goto('/contacto')
    await fill(page, { ...bien, 'Correo electrónico': 'nada' })
    await send(page)
    await expect(page.getByRole('alert')).toHaveText('Ingresa un correo válido.')
    await fill(page, { 'Correo electrónico': 'a@b' })
    await send(page)
    await expect(page.getByRole('status').getByText(/^¡Gracias! Recibimos tu mensaje/)).toBeVisible()
  })

  test('S-050 keeps the text when sending fails', async ({ page }) => {
    const writing = await hold(page, 'fails')
    await page.goto('/contacto')
    await fill(page, bien)
    await send(page)
    await expect(page.getByRole('button', { name: 'Enviando…' })).toBeDisabled()
    writing.release()
    await expect(page.getByRole('alert')).toHaveText('No pudimos enviar tu mensaje. Intenta de nuevo en unos minutos.')
    await expect(page.getByLabel('Mensaje', { exact: true })).toHaveValue(bien.Mensaje)
    await expect(page.getByRole('button', { name: 'Enviar mensaje' })).toBeEnabled()
  })

  test('D-15 the link sets the subject', async ({ page }) => {
    await page.goto('/contacto?asunto=Audici%C3%B3n%20para%20ensambles')
    await expect(page.getByLabel('Asunto')).toHaveValue('Audición para ensambles')
  })
})

test.describe('volunteers', () => {
  const bien = { 'Nombre completo': 'Luis Díaz', 'Correo electrónico': 'Luis@Correo.do', Teléfono: '809-555-0000' }
  const send = (page: Page) => page.getByRole('button', { name: 'Enviar solicitud' }).click()

  test('S-051 shows benefits, stories, consent and answers', async ({ page }) => {
    await page.goto('/voluntarios')
    await expect(page.getByRole('region', { name: 'Lo que te llevas' }).getByRole('heading', { level: 3 })).toHaveCount(4)
    await expect(page.getByRole('region', { name: 'Dos historias' }).getByRole('figure')).toHaveCount(2)
    await expect(page.getByText('Al enviar, aceptas que te contactemos.')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Preguntas frecuentes' }).locator('summary')).toHaveCount(3)
  })

  test('S-052 stores an application without a message', async ({ page }) => {
    await page.goto('/voluntarios')
    await fill(page, bien)
    await send(page)
    await expect(page.getByRole('status').getByText('¡Gracias! Recibimos tu solicitud de voluntariado.')).toBeVisible()
    await expect(page.getByLabel('Nombre completo')).toHaveValue('')
    const savedList = await list('voluntaryAplications')
    expect(savedList).toHaveLength(1)
    expectForm(savedList[0], {
      fullName: 'Luis Díaz',
      email: 'luis@correo.do',
      phone: '809-555-0000',
      message: '',
      status: 'new',
      source: 'voluntarios-page',
    })
    expect(await list('voluntaryApplications')).toEqual([])
  })

  test('S-053 requires name, address and telephone, then a valid address', async ({ page }) => {
    const writes = countWrites(page)
    await page.goto('/voluntarios')
    for (const label of Object.keys(bien)) {
      await fill(page, { ...bien, [label]: '  ' })
      await send(page)
      await expect(page.getByRole('alert')).toHaveText('Por favor completa nombre, correo y teléfono.')
    }
    await fill(page, { ...bien, 'Correo electrónico': 'x@y' })
    await send(page)
    await expect(page.getByRole('alert')).toHaveText('Ingresa un correo válido.')
    await fill(page, { 'Nombre completo': ' ', 'Correo electrónico': 'x@y' })
    await send(page)
    await expect(page.getByRole('alert')).toHaveText('Por favor completa nombre, correo y teléfono.')
    expect(writes.howMany()).toBe(0)
  })

  test('S-054 reports a failure', async ({ page }) => {
    const writing = await hold(page, 'fails')
    await page.goto('/voluntarios')
    await fill(page, bien)
    await send(page)
    writing.release()
    await expect(page.getByRole('alert')).toHaveText('No pudimos enviar tu solicitud en este momento. Intenta nuevamente.')
  })
})

test.describe('instruments', () => {
  const bien = { 'Nombre completo': 'Eva Ruiz', 'Correo electrónico': ' Eva@Correo.do ', Mensaje: 'Quiero tocar la flauta.' }
  const send = (page: Page) => page.getByRole('button', { name: 'Enviar solicitud' }).click()

  test('S-055 shows seven instruments', async ({ page }) => {
    await page.goto('/instrumentos')
    await expect(page.getByRole('heading', { level: 1, name: 'Nuestros Instrumentos' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Cómo funciona' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Lo que incluye el préstamo' })).toBeVisible()
    const cards = page.getByRole('region', { name: 'Elige el tuyo' }).getByRole('listitem')
    await expect(cards).toHaveCount(7)
    await expect(cards.getByRole('heading')).toHaveText(['Saxofón', 'Bajo Eléctrico', 'Trompeta', 'Guitarra', 'Canto', 'Flauta', 'Batería'])
    await expect(cards.locator('svg')).toHaveCount(7)
  })

  test('S-056 opens one answer at a time', async ({ page }) => {
    await page.goto('/instrumentos')
    const questions = page.getByRole('region', { name: 'Preguntas frecuentes' }).locator('details')
    await expect(questions).toHaveCount(4)
    await questions.nth(0).locator('summary').click()
    await questions.nth(2).locator('summary').click()
    expect(await questions.evaluateAll((all) => all.map((one) => one.hasAttribute('open')))).toEqual([false, false, true, false])
    await questions.nth(2).locator('summary').click()
    expect(await questions.evaluateAll((all) => all.some((one) => one.hasAttribute('open')))).toBe(false)
  })

  test('S-057 stores a request and confirms it twice', async ({ page }) => {
    const writing = await hold(page, 'continues')
    await page.goto('/instrumentos')
    await fill(page, bien)
    await send(page)
    await expect(page.getByRole('button', { name: 'Enviando…' })).toBeDisabled()
    writing.release()
    const state = page.getByRole('status')
    await expect(state.getByText('Tu solicitud fue enviada correctamente.')).toBeVisible()
    await expect(state.getByText('¡Gracias! Recibimos tu solicitud. Te contactaremos pronto.')).toBeVisible()
    await expect(page.getByLabel('Mensaje', { exact: true })).toHaveValue('')
    const savedList = await list('IntrumentRental')
    expect(savedList).toHaveLength(1)
    expectForm(savedList[0], {
      fullName: 'Eva Ruiz',
      email: 'eva@correo.do',
      message: 'Quiero tocar la flauta.',
      source: 'instrumentos-page',
      status: 'new',
    })
  })

  test('S-058 requires name, address and message, then a valid address', async ({ page }) => {
    const writes = countWrites(page)
    await page.goto('/instrumentos')
    for (const label of Object.keys(bien)) {
      await fill(page, { ...bien, [label]: '' })
      await send(page)
      await expect(page.getByRole('alert')).toHaveText('Por favor completa nombre, correo y mensaje.')
    }
    await fill(page, { ...bien, 'Correo electrónico': 'a@b' })
    await send(page)
    await expect(page.getByRole('alert')).toHaveText('Ingresa un correo válido.')
    expect(writes.howMany()).toBe(0)
  })

  test('S-059 reports a failure', async ({ page }) => {
    const writing = await hold(page, 'fails')
    await page.goto('/instrumentos')
    await fill(page, bien)
    await send(page)
    writing.release()
    await expect(page.getByRole('alert')).toHaveText('No pudimos enviar tu solicitud. Intenta de nuevo.')
  })
})

test('D-06 the browser’s check of an address counts for contact alone', async ({ page }) => {
  // The pattern of the other forms accepts it.
  const address = 'josé..díaz@correo.do'
  await page.goto('/')
  await page.getByLabel('Correo electrónico').fill(address)
  await page.getByRole('button', { name: 'Suscribirme' }).click()
  await expect(page.getByText('¡Gracias! Te hemos suscrito al boletín.')).toBeVisible()
  await page.goto('/contacto')
  for (const [field, text] of [
    ['Nombre', 'José'],
    ['Correo', address],
    ['Asunto', 'a'],
    ['Mensaje', 'b'],
  ] as const) {
    await page.getByRole('main').getByRole('textbox', { name: field }).fill(text)
  }
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Enviar/ })
    .click()
  await expect(page.getByRole('alert').filter({ hasText: 'Ingresa un correo válido.' }).first()).toBeVisible()
})
