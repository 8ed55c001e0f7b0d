import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import { admin, clear, createAdmin, list, openPanel, write } from './admin-world'
import { EN, review } from './axe'
import { clearMails, type Mail, mails, OVER_QUOTA, REJECTED } from './mail-server'

test.beforeEach(async () => {
  await clear()
  await clearMails()
  await createAdmin()
})

// The back office sends every 15 seconds.
test.describe.configure({ timeout: 240_000 })
const ROUND = { timeout: 80_000 }

/** Waits for the e-mail with a subject to an address. */
async function mailTo(address: string, subject: string): Promise<Mail> {
  const found = async () => (await mails()).find((mail) => mail.to === address && mail.subject === subject)
  await expect.poll(found, ROUND).toBeTruthy()
  const mail = await found()
  if (!mail) throw new Error('the e-mail is gone')
  return mail
}

/** The link in an e-mail. */
function linkIn({ text }: Mail, path: string): string {
  const link = new RegExp(`http\\S+${path}\\?t=\\S+`).exec(text)?.[0] ?? ''
  expect(link).not.toBe('')
  return link
}

const CONFIRM = 'Confirma tu suscripción al boletín'

/** Subscribes on the home page. */
async function subscribe(page: Page, email: string): Promise<void> {
  await page.goto('/')
  await expect(page.getByText('Te enviaremos un correo para confirmar.')).toBeVisible()
  await page.getByLabel('Correo electrónico').fill(email)
  await page.getByRole('button', { name: 'Suscribirme' }).click()
  await expect(page.getByText('¡Gracias! Te hemos suscrito al boletín.')).toBeVisible()
}

/** Writes an issue into the open dialog. */
async function compose(page: Page, subject: string, text: string): Promise<void> {
  await page.getByLabel('Asunto').fill(subject)
  await page.getByLabel('Texto', { exact: true }).fill(text)
}

/** The exported list. */
async function csv(page: Page): Promise<string> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Descargar CSV' }).click()
  return readFile((await (await download).path()) ?? '', 'utf8')
}

test('if it is not known who confirmed, no address is exported', async ({ page }) => {
  await write('Massive Boletin/a', { email: 'a@x.do', source: 'homepage', createdAt: new Date() })
  await page.route('**/api/admin/boletin/confirmados', (route) => route.fulfill({ status: 503, json: { error: { code: 'unavailable' } } }))
  await openPanel(page, 'Boletín')
  await expect(page.getByRole('cell').last()).toHaveText('—')
  let downloads = 0
  page.on('download', () => downloads++)
  await page.getByRole('button', { name: 'Descargar CSV' }).click()
  await expect(page.getByText('No se pudo saber qué direcciones están confirmadas. Intenta de nuevo.')).toBeVisible()
  expect(downloads).toBe(0)
})

for (const way of ['Escape', '✕'] as const) {
  test(`closing a half-written issue by ${way} asks, and the draft is kept`, async ({ page }) => {
    await openPanel(page, 'Boletín')
    const open = page.getByRole('button', { name: 'Escribir boletín' })
    const dialog = page.getByRole('dialog', { name: 'Escribir boletín' })
    const close = () =>
      way === 'Escape' ? page.keyboard.press('Escape') : dialog.getByRole('button', { name: 'Cerrar', exact: true }).click()
    await open.click()
    await close()
    await expect(dialog, 'nothing is asked about an empty issue').toBeHidden()
    await open.click()
    await compose(page, 'Noticias', 'Hay concierto.')
    await close()
    await expect(dialog.getByRole('alert')).toHaveText('El boletín está a medio escribir.')
    await expect(dialog.getByRole('button', { name: 'Seguir editando' })).toBeFocused()
    await review(page, 'half-written issue', EN.phone)
    await dialog.getByRole('button', { name: 'Seguir editando' }).click()
    await expect(dialog.getByLabel('Asunto')).toHaveValue('Noticias')
    await close()
    await close()
    await expect(dialog).toBeHidden()
    // A reload keeps it, too.
    await page.reload()
    await open.click()
    await expect(dialog.getByLabel('Texto', { exact: true })).toHaveValue('Hay concierto.')
    await expect(dialog.getByText('Recuperamos tu borrador.')).toBeVisible()
    await close()
    await dialog.getByRole('button', { name: 'Descartar cambios' }).click()
    await open.click()
    await expect(dialog.getByLabel('Asunto')).toHaveValue('')
  })
}

test('an address that confirms gets the issue, and its link ends the subscription', async ({ page, browser }) => {
  await subscribe(page, 'eva@x.do')
  // An address that is never confirmed.
  await subscribe(page, 'otra@x.do')
  const request = await mailTo('eva@x.do', CONFIRM)
  expect(request.headers['list-unsubscribe']).toBeUndefined()
  const context = await browser.newContext({ javaScriptEnabled: false })
  const visit = await context.newPage()
  await visit.goto(linkIn(request, '/boletin/confirmar'))
  await expect(visit.getByText('¿Quieres recibir el boletín en eva@x.do?')).toBeVisible()
  await visit.getByRole('button', { name: 'Confirmar mi suscripción' }).click()
  await expect(visit.getByRole('status')).toHaveText('¡Gracias! Tu suscripción al boletín quedó confirmada.')

  await openPanel(page, 'Boletín')
  await expect(page.getByText('1 dirección confirmada.')).toBeVisible()
  await expect(page.getByRole('columnheader')).toHaveText(['Email', 'Fuente', 'Fecha', 'Confirmado'])
  await expect(page.getByRole('row').filter({ hasText: 'otra@x.do' }).getByRole('cell').last()).toHaveText('No')
  await expect(page.getByRole('row').filter({ hasText: 'eva@x.do' }).getByRole('cell').last()).toHaveText(
    /^\d\d [A-Z]{3} \d{4} • \d\d:\d\d$/,
  )
  const file = await csv(page)
  expect(file).toContain('"eva@x.do"')
  expect(file).not.toContain('"otra@x.do"')
  await page.getByLabel('Incluir sin confirmar en el CSV').check()
  expect(await csv(page)).toMatch(/"otra@x\.do","homepage","[^"]*","No"/)
  await page.getByRole('button', { name: 'Escribir boletín' }).click()
  const dialog = page.getByRole('dialog', { name: 'Escribir boletín' })
  await dialog.getByRole('button', { name: 'Enviar a todos' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Escribe el asunto y el texto.')
  await compose(page, 'Noticias de octubre', 'Hola.\n\nHay concierto.')
  await dialog.getByRole('button', { name: 'Ver cómo queda' }).click()
  await expect(dialog.getByLabel('Cómo queda')).toHaveValue(/Para no recibir más este boletín:/)
  await review(page, 'newsletter preview', EN.phone)
  await dialog.getByRole('button', { name: 'Enviarme una prueba' }).click()
  await expect(dialog.getByRole('status')).toHaveText(`Prueba enviada a ${admin.email}.`)
  await mailTo(admin.email, '[Prueba] Noticias de octubre')
  await dialog.getByRole('button', { name: 'Enviar a todos' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('¿Enviar este boletín a 1 dirección confirmada? No se puede deshacer.')
  await dialog.getByRole('button', { name: 'Sí, enviar ahora' }).click()
  await expect(page.getByRole('region', { name: 'Últimos envíos' })).toContainText('Noticias de octubre')

  const issue = await mailTo('eva@x.do', 'Noticias de octubre')
  expect(issue.text).toContain('Hola.\n\nHay concierto.')
  const link = linkIn(issue, '/boletin/baja')
  expect(issue.headers['list-unsubscribe']).toBe(`<${link}>`)
  expect(issue.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
  await expect(page.getByText('Enviado a 1 dirección.')).toBeVisible(ROUND)
  const subjects = async () => (await mails()).filter(({ to }) => to === 'otra@x.do').map(({ subject }) => subject)
  await expect.poll(subjects, ROUND).toEqual([CONFIRM])

  // As mail programs do for one-click unsubscription (RFC 8058).
  const gone = await context.request.post(link, { form: { 'List-Unsubscribe': 'One-Click' } })
  expect(gone.status()).toBe(200)
  expect((await list('Massive Boletin')).map(({ email }) => email)).toEqual(['otra@x.do'])
  await context.close()
})

test('the same issue is not sent twice, and what was rejected is counted', async ({ page }) => {
  const addresses = ['uno@x.do', 'dos@x.do', `${REJECTED}@x.do`]
  for (const email of addresses) {
    await write(`NewsletterAddresses/${email}`, { email, pendingSince: null, confirmedAt: new Date('2026-01-01T12:00:00Z') })
  }
  await openPanel(page, 'Boletín')
  const dialog = page.getByRole('dialog', { name: 'Escribir boletín' })
  for (const press of [1, 2]) {
    await page.getByRole('button', { name: 'Escribir boletín' }).click()
    await compose(page, 'Una vez', 'Solo una vez.')
    await dialog.getByRole('button', { name: 'Enviar a todos' }).click()
    await dialog.getByRole('button', { name: 'Sí, enviar ahora' }).click()
    if (press === 1) await expect(dialog).toBeHidden()
  }
  await expect(dialog.getByRole('alert')).toHaveText(
    'Este boletín ya se envió o se está enviando. Cambia el asunto o el texto para enviar otro.',
  )
  await dialog.getByRole('button', { name: 'Cerrar', exact: true }).click()
  await dialog.getByRole('button', { name: 'Descartar cambios' }).click()
  await expect(page.getByText('Enviado a 2 direcciones. 1 fue rechazada.')).toBeVisible(ROUND)
  const sent = (await mails()).filter(({ subject }) => subject === 'Una vez').map(({ to }) => to)
  expect(sent.toSorted()).toEqual(['dos@x.do', 'uno@x.do'])
  await review(page, 'newsletter result', EN.phone)
})

test('an issue is paused when the mail server refuses every e-mail, and the panel shows the reason', async ({ page }) => {
  for (let i = 1; i <= 6; i++) {
    const email = `lector${i}@x.do`
    await write(`NewsletterAddresses/${email}`, { email, pendingSince: null, confirmedAt: new Date('2026-01-01T12:00:00Z') })
  }
  await openPanel(page, 'Boletín')
  await page.getByRole('button', { name: 'Escribir boletín' }).click()
  const subject = `${OVER_QUOTA} por hoy`
  await compose(page, subject, 'Hola.')
  const dialog = page.getByRole('dialog', { name: 'Escribir boletín' })
  await dialog.getByRole('button', { name: 'Enviar a todos' }).click()
  await dialog.getByRole('button', { name: 'Sí, enviar ahora' }).click()
  const issues = page.getByRole('region', { name: 'Últimos envíos' })
  await expect(issues.getByRole('status')).toHaveText(
    'Enviando: 0 de 6. En pausa: el servidor de correo rechazó varios correos seguidos, por ejemplo por su límite diario. Se intenta de nuevo cada hora.',
    ROUND,
  )
  await expect(issues.getByRole('progressbar', { name: `Envío de «${subject}»` })).toBeVisible()
  const [issue] = await list('Newsletters')
  expect(issue).toMatchObject({ state: 'paused', total: 6, sent: 0, failed: 0, uncertain: 0 })
  expect(await mails()).toEqual([])
  await review(page, 'paused issue', EN.phone)
})

test('without a mail server the panel reports it and sends nothing', async ({ page }) => {
  await page.route('**/api/admin/boletin/estado', (route) => route.fulfill({ json: { delivery: 'none', confirmed: 0 } }))
  await openPanel(page, 'Boletín')
  await expect(page.getByText('El envío de correos no está configurado en el servidor (MAIL_URL)')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Escribir boletín' })).toBeDisabled()
})

test('only administrators use the newsletter', async ({ request }) => {
  for (const route of ['estado', 'vista', 'prueba', 'enviar']) {
    const answer = await request.post(`/api/admin/boletin/${route}`, { data: { subject: 'a', text: 'b' } })
    expect(answer.status(), route).toBe(403)
  }
})
