import { expect, test } from '@playwright/test'

test('S-035 /informacion shows purpose, values and programs', async ({ page }) => {
  await page.goto('/informacion')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Todo por Medio de la Música')
  for (const title of [/objetivo/i, /escuela de música/i, 'Misión', 'Visión']) {
    await expect(page.getByRole('heading', { level: 2, name: title })).toBeVisible()
  }
  const values = page.getByRole('region', { name: 'Nuestros valores' }).getByRole('heading', { level: 3 })
  await expect(values).toHaveText([
    'Tenacidad',
    'Compromiso',
    'Respeto',
    'Pulcritud',
    'Responsabilidad',
    'Profesionalidad',
    'Eficacia y eficiencia',
  ])
  const programas = page.getByRole('region', { name: 'Nuestros programas' })
  await expect(programas.getByRole('heading', { level: 3 })).toHaveCount(4)
  await expect(programas).toContainText('7 a 12')
  for (const instrument of ['Piano', 'Guitarra', 'Flauta', 'Clarinete', 'Trompeta', 'Saxofón alto y tenor']) {
    await expect(programas.getByText(instrument, { exact: true })).toBeVisible()
  }
  await expect(page.getByRole('link', { name: 'Dona Ahora' })).toHaveAttribute('href', '/donar')
})

test('S-036 each program opens its own dialog, one at a time', async ({ page }) => {
  await page.goto('/programas')
  const buttons = page.getByRole('button', { name: /^Ver Detalles/ })
  await expect(buttons).toHaveCount(3)
  await expect(page.locator('main')).toContainText('8 semanas')
  for (const [i, title] of ['Taller de composición', 'Orquesta juvenil', 'Formación docente'].entries()) {
    await buttons.nth(i).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toHaveCount(1)
    await expect(dialog.getByRole('heading', { name: title })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(buttons.nth(i)).toBeFocused()
  }
})

test('S-038 /historia shows the origin and six pictures', async ({ page }) => {
  await page.goto('/historia')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nuestra Historia')
  await expect(page.locator('main')).toContainText('28 de febrero de 2025')
  await expect(page.locator('main')).toContainText('tres hermanas')
  await expect(page.locator('blockquote')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Lo que nos sostiene' }).getByRole('heading', { level: 3 })).not.toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Galería histórica' }).getByRole('img')).toHaveCount(6)
  await expect(page.getByRole('link', { name: 'Dona Ahora' })).toHaveAttribute('href', '/donar')
})

test('S-039 /equipo shows directors, pictures and philosophy', async ({ page }) => {
  await page.goto('/equipo')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nuestro Equipo')
  await expect(page.getByRole('region', { name: 'Dirección' }).getByRole('heading', { level: 3 })).toHaveText([
    'Presidenta',
    'Vicepresidenta',
    'Coordinadora de proyectos',
  ])
  await expect(page.getByRole('region', { name: 'Así trabajamos' }).getByRole('img')).toHaveCount(4)
  await expect(page.getByRole('region', { name: 'Nuestra filosofía' }).getByRole('heading', { level: 3 })).toHaveText([
    'Pasión',
    'Colaboración',
    'Innovación',
    'Compromiso social',
  ])
  await expect(page.getByRole('link', { name: 'Únete a Nosotros' })).toHaveAttribute('href', '/contacto')
  await page.getByRole('link', { name: 'Invitarnos a tocar' }).click()
  await expect(page.getByLabel('Asunto')).toHaveValue('Invitación a tocar')
})

test('S-040 one ensemble panel is open at a time', async ({ page }) => {
  await page.goto('/ensambles')
  await expect(page.locator('main')).toContainText('12–17')
  await expect(page.locator('main')).toContainText('7–11')
  const panels = page.locator('main details')
  const openOnes = page.locator('main details[open]')
  await expect(panels).toHaveCount(3)
  await panels.nth(0).locator('summary').click()
  await expect(openOnes).toHaveCount(1)
  await panels.nth(1).locator('summary').click()
  await expect(openOnes).toHaveCount(1)
  await expect(panels.nth(1)).toHaveAttribute('open', '')
  await panels.nth(1).locator('summary').click()
  await expect(openOnes).toHaveCount(0)
})

test('S-041 concerts reserve inside the page, a past one does not', async ({ page }) => {
  await page.clock.setFixedTime('2027-11-30T12:00:00-04:00')
  await page.goto('/ensambles')
  const concerts = page.getByRole('region', { name: 'Próximos conciertos' })
  await expect(concerts.getByRole('heading', { level: 3 })).toHaveText([
    'Concierto de Temporada',
    'Noche de Big Band',
    'Voces de la Infancia',
  ])
  await expect(concerts).toContainText('20 NOV 2027 • 19:00')
  await expect(concerts.getByText('Finalizado')).toHaveCount(1)
  const reserve = concerts.getByRole('link', { name: /^Reservar →/ })
  await expect(reserve).toHaveCount(2)
  await expect(reserve.first()).toHaveAttribute('href', /^#/)
  await reserve.first().click()
  await expect(page.getByRole('region', { name: 'Cómo reservar' })).toBeInViewport()
})

test('D-15 an audition fills in the message', async ({ page }) => {
  await page.goto('/ensambles')
  await page.getByRole('link', { name: 'Aplicar ahora' }).click()
  await expect(page).toHaveURL('/contacto?asunto=Audici%C3%B3n%20para%20ensambles')
  await expect(page.getByLabel('Asunto')).toHaveValue('Audición para ensambles')
})

test('S-044 /donar offers PayPal in a new tab, things, and the receipt', async ({ page }) => {
  await page.goto('/donar')
  const paypal = page.getByRole('link', { name: /^Donar con PayPal/ })
  await expect(paypal).toHaveAttribute('target', '_blank')
  await expect(paypal).toHaveAttribute('rel', /noopener/)
  await expect(page.getByRole('heading', { name: 'PayPal' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Donaciones en especie' })).toBeVisible()
  const body = page.locator('main')
  await expect(body.locator('a[href^="mailto:"]').first()).toBeVisible()
  await expect(body.locator('a[href^="tel:"]').first()).toBeVisible()
  await expect(body).toContainText(/comprobante de tu transferencia.*recibo/)
})

test('the amounts on /donar are links to PayPal with the amount', async ({ page }) => {
  await page.goto('/donar')
  for (const [name, amount] of [
    ['Donar US$ 9', '9'],
    ['Donar US$ 25', '25'],
    ['Donar US$ 85', '85'],
  ] as const) {
    const link = page.getByRole('link', { name: name })
    await expect(link).toHaveAttribute('target', '_blank')
    await expect(link).toHaveAttribute('rel', /noopener/)
    const url = new URL((await link.getAttribute('href')) ?? '')
    expect([url.host, url.searchParams.get('amount'), url.searchParams.get('currency_code')]).toEqual(['www.paypal.com', amount, 'USD'])
  }
})

test('each program has a page of its own, also without scripts', async ({ page, browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const plain = await context.newPage()
  await plain.goto('/programas')
  await expect(plain.getByRole('button', { name: /Ver Detalles/ })).toHaveCount(0)
  await plain.getByRole('link', { name: 'Orquesta juvenil' }).click()
  await expect(plain.getByRole('heading', { level: 1 })).toHaveText('Orquesta juvenil')
  await expect(plain.getByRole('heading', { name: 'Cómo se entra' })).toBeVisible()
  await context.close()
  await page.goto('/programas')
  await page.getByRole('button', { name: 'Ver Detalles Taller de composición' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Ver la página del programa' }).click()
  await expect(page).toHaveURL('/programas/composicion')
  await expect(page).toHaveTitle(/^Taller de composición/)
  await page.getByRole('link', { name: 'Formación docente' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Formación docente')
  await page.getByRole('link', { name: 'Preguntar por este programa' }).click()
  await expect(page.getByLabel('Asunto')).toHaveValue('Programa: Formación docente')
})

test('/impacto shows what is counted, and no figure that nobody has confirmed', async ({ page }) => {
  await page.goto('/impacto')
  const counts = page.getByRole('region', { name: 'Lo que contamos' })
  await expect(counts.getByRole('term')).toHaveText(['Alumnas y alumnos', 'Horas de clase', 'Conciertos', 'Instrumentos en préstamo'])
  expect(await counts.innerText()).not.toMatch(/\d/)
  await expect(page.getByRole('link', { name: /^Donar US\$/ })).toHaveCount(3)
  await page.getByRole('link', { name: 'Donar Ahora' }).last().click()
  await expect(page).toHaveURL('/donar')
  await page.getByRole('link', { name: 'Ver nuestro impacto' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Impacto')
})

test('/donar links to the thanks: the receipt, the calendar and sharing', async ({ page, context, request }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/donar')
  for (const method of ['PayPal', 'Transferencia bancaria']) {
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: method, exact: true, level: 3 }) })
    await expect(section.getByRole('link', { name: 'Ya doné: ¿qué sigue?' }).last()).toHaveAttribute('href', '/donar/gracias')
  }
  await page.getByRole('link', { name: 'Ya doné: ¿qué sigue?' }).last().click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('¡Gracias por tu donación!')
  const body = page.locator('main')
  await expect(body.getByRole('link', { name: 'Enviar por correo' })).toHaveAttribute('href', /^mailto:.+\?subject=Recibo/)
  await expect(body.getByRole('link', { name: /Enviar por WhatsApp/ })).toHaveAttribute('href', /^https:\/\/wa\.me\/1\d+\?text=/)
  await expect(body.getByRole('link', { name: 'Ver el calendario' })).toHaveAttribute('href', '/calendario')
  await expect(body.getByRole('link', { name: /Compartir por WhatsApp/ })).toHaveAttribute('href', /%2Fdonar$/)
  await page.evaluate(() => Object.defineProperty(navigator, 'share', { value: undefined }))
  await body.getByRole('button', { name: 'Compartir' }).click()
  await expect(body.getByRole('button', { name: 'Enlace copiado' })).toBeVisible()
  expect(new URL(await page.evaluate(() => navigator.clipboard.readText())).pathname).toBe('/donar')
  const answer = await request.get('/donar/gracias')
  expect(answer.status()).toBe(200)
  expect(await answer.text()).toContain('<meta name="robots" content="noindex" />')
  expect(await (await request.get('/sitemap.xml')).text()).not.toContain('gracias')
  expect((await request.get('/donar')).status()).toBe(200)
})

test('S-045 each bank detail is copied, and confirmed for a second and a half', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.clock.install()
  await page.goto('/donar')
  const data = page.locator('main dl > div')
  await expect(data).toHaveCount(4)
  // From here on only the test advances the clock.
  await page.clock.pauseAt(Date.now() + 60_000)
  for (const detail of await data.all()) {
    const buttonClasses = detail.getByRole('button')
    await expect(buttonClasses).toHaveText('Copiar')
    await buttonClasses.click()
    await expect(buttonClasses).toHaveText('Copiado')
    const value = await detail.locator('dd > span').innerText()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(value)
    for (const [step, text] of [
      [200, 'Copiado'],
      [1100, 'Copiado'],
      [600, 'Copiar'],
    ] as const) {
      await page.clock.runFor(step)
      await expect(buttonClasses).toHaveText(text)
    }
  }
})

test('F-173 a clipboard that refuses changes nothing', async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error('no')) } })
  })
  await page.goto('/donar')
  const buttonClasses = page.getByRole('button', { name: 'Copiar banco' })
  await buttonClasses.click()
  await expect(buttonClasses).toHaveText('Copiar')
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('P-14 /privacidad lists the stored data and their retention', async ({ page }) => {
  await page.goto('/privacidad')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Privacidad')
  await expect(page.locator('main')).toContainText('12 meses')
})
