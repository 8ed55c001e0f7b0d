import { readFile } from 'node:fs/promises'
import { expect, test } from '@playwright/test'
import { openPanel, createAdmin, enter, write, list, clear } from './admin-world'
import { EN, review } from './axe'

/** Later than the back office requests any confirmation, so that it does not change these subscriptions. */
const LATER = new Date('2096-01-01T12:00:00Z')

let uid = ''
test.beforeEach(async () => {
  await clear()
  uid = await createAdmin()
})

test('P-14 an administrator counts and erases a person’s data, and an anonymous record remains', async ({ page }) => {
  await write('ContactRequests/uno', {
    name: 'Eva',
    email: 'eva@x.do',
    subject: 'Hola',
    message: 'Uno',
    status: 'new',
    createdAt: new Date(),
  })
  await write('Massive Boletin/uno', { email: 'eva@x.do', source: 'homepage', createdAt: LATER })
  await write('Massive Boletin/otra', { email: 'otra@x.do', source: 'homepage', createdAt: LATER })
  await openPanel(page, 'Boletín')
  const open = page.getByRole('button', { name: 'Borrar datos de una persona' })
  const windowOf = page.getByRole('dialog', { name: 'Borrar datos de una persona' })
  await open.click()
  await windowOf.getByLabel('Correo electrónico').fill('eva')
  await windowOf.getByRole('button', { name: 'Buscar registros' }).click()
  await expect(windowOf.getByRole('alert')).toHaveText('Correo inválido.')
  await windowOf.getByLabel('Correo electrónico').fill('EVA@x.do')
  await windowOf.getByRole('button', { name: 'Buscar registros' }).click()
  await expect(windowOf.getByRole('listitem')).toHaveText(['Boletín: 1', 'Contactos: 1'])
  await review(page, 'erasing asked', EN.phone)
  // The button that cancels has the focus and erases nothing.
  await expect(windowOf.getByRole('button', { name: 'Cancelar' })).toBeFocused()
  await windowOf.getByRole('button', { name: 'Cancelar' }).click()
  await expect(open).toBeFocused()
  expect(await list('ContactRequests')).toHaveLength(1)
  await open.click()
  await windowOf.getByLabel('Correo electrónico').fill('eva@x.do')
  await windowOf.getByRole('button', { name: 'Buscar registros' }).click()
  await windowOf.getByRole('button', { name: 'Borrar 2 registros' }).click()
  await expect(windowOf.getByRole('status')).toHaveText('Se borraron 2 registros.')
  await windowOf.getByRole('button', { name: 'Cerrar' }).last().click()
  await expect(page.getByText('Total: 1')).toBeVisible()
  expect(await list('ContactRequests')).toEqual([])
  expect((await list('Massive Boletin')).map(({ email }) => email)).toEqual(['otra@x.do'])
  const [trace, ...moreTraces] = await list('erasures')
  expect(moreTraces).toEqual([])
  expect(trace).toMatchObject({ by: uid, reason: 'request' })
  expect(JSON.stringify(trace)).not.toContain('@')
})

test('P-14 only administrators can erase', async ({ request }) => {
  await write('ContactRequests/uno', { email: 'eva@x.do' })
  for (const Authorization of ['', 'Bearer a.b.c']) {
    for (const route of ['datos/contar', 'datos/borrar', 'boletin/bajas']) {
      const answer = await request.post(`/api/admin/${route}`, {
        data: { email: 'eva@x.do', emails: ['eva@x.do'] },
        headers: { Authorization },
      })
      expect(answer.status(), route).toBe(403)
    }
  }
  expect(await list('ContactRequests')).toHaveLength(1)
})

test('P-14 the newsletter’s list has an unsubscribe link for each address, which needs no scripts', async ({ page, browser }) => {
  await write('Massive Boletin/uno', { email: 'eva@x.do', source: 'homepage', createdAt: LATER })
  await write('Massive Boletin/dos', { email: 'otra@x.do', source: 'homepage', createdAt: new Date(0) })
  await enter(page)
  await page.getByRole('tab', { name: 'Boletín' }).click()
  await page.getByLabel('Incluir sin confirmar en el CSV').check()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Descargar CSV' }).click()
  const lines = (await readFile((await (await download).path()) ?? '', 'utf8')).trim().split('\r\n')
  expect(lines[0]).toContain('"Enlace de baja"')
  const link = /"(http[^"]+\/boletin\/baja\?t=[^"]+)"/.exec(lines[1] ?? '')?.[1] ?? ''
  const context = await browser.newContext({ javaScriptEnabled: false })
  const visit = await context.newPage()
  await visit.goto(link)
  await expect(visit.getByText('¿Quieres dejar de recibir el boletín en eva@x.do?')).toBeVisible()
  expect(await list('Massive Boletin')).toHaveLength(2)
  await visit.getByRole('button', { name: 'Darme de baja' }).click()
  await expect(visit.getByRole('status')).toHaveText('Listo: ya no recibirás el boletín. Borramos tu correo de la lista.')
  expect((await list('Massive Boletin')).map(({ email }) => email)).toEqual(['otra@x.do'])
  const again = await context.request.post(link)
  expect(again.status()).toBe(200)
  const fake = await visit.goto(link.replace(/.$/, (letter) => (letter === 'A' ? 'Q' : 'A')))
  expect(fake?.status()).toBe(404)
  await expect(visit.getByRole('alert')).toContainText('Este enlace no es válido')
  await context.close()
})
