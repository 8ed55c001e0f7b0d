import { readFile } from 'node:fs/promises'
import { expect, test } from '@playwright/test'
import { abrirPanel, crearAdmin, entrar, escribir, listar, vaciar } from './admin-mundo'
import { EN, revisar } from './axe'

let uid = ''
test.beforeEach(async () => {
  await vaciar()
  uid = await crearAdmin()
})

test('P-14 an administrator erases what a person sent, counted first, and a trace without the person is left', async ({ page }) => {
  await escribir('ContactRequests/uno', {
    name: 'Eva',
    email: 'eva@x.do',
    subject: 'Hola',
    message: 'Uno',
    status: 'new',
    createdAt: new Date(),
  })
  await escribir('Massive Boletin/uno', { email: 'eva@x.do', source: 'homepage', createdAt: new Date() })
  await escribir('Massive Boletin/otra', { email: 'otra@x.do', source: 'homepage', createdAt: new Date() })
  await abrirPanel(page, 'Boletín')
  const abrir = page.getByRole('button', { name: 'Borrar datos de una persona' })
  const ventana = page.getByRole('dialog', { name: 'Borrar datos de una persona' })
  await abrir.click()
  await ventana.getByLabel('Correo electrónico').fill('eva')
  await ventana.getByRole('button', { name: 'Buscar registros' }).click()
  await expect(ventana.getByRole('alert')).toHaveText('Correo inválido.')
  await ventana.getByLabel('Correo electrónico').fill('EVA@x.do')
  await ventana.getByRole('button', { name: 'Buscar registros' }).click()
  await expect(ventana.getByRole('listitem')).toHaveText(['Boletín: 1', 'Contactos: 1'])
  await revisar(page, 'erasing asked', EN.telefono)
  // Nothing is erased by leaving, which has the focus.
  await expect(ventana.getByRole('button', { name: 'Cancelar' })).toBeFocused()
  await ventana.getByRole('button', { name: 'Cancelar' }).click()
  await expect(abrir).toBeFocused()
  expect(await listar('ContactRequests')).toHaveLength(1)
  await abrir.click()
  await ventana.getByLabel('Correo electrónico').fill('eva@x.do')
  await ventana.getByRole('button', { name: 'Buscar registros' }).click()
  await ventana.getByRole('button', { name: 'Borrar 2 registros' }).click()
  await expect(ventana.getByRole('status')).toHaveText('Se borraron 2 registros.')
  await ventana.getByRole('button', { name: 'Cerrar' }).last().click()
  await expect(page.getByText('Total: 1')).toBeVisible()
  expect(await listar('ContactRequests')).toEqual([])
  expect((await listar('Massive Boletin')).map(({ email }) => email)).toEqual(['otra@x.do'])
  const [rastro, ...masRastros] = await listar('erasures')
  expect(masRastros).toEqual([])
  expect(rastro).toMatchObject({ by: uid, reason: 'request' })
  expect(JSON.stringify(rastro)).not.toContain('@')
})

test('P-14 who is no administrator erases nothing', async ({ request }) => {
  await escribir('ContactRequests/uno', { email: 'eva@x.do' })
  for (const Authorization of ['', 'Bearer a.b.c']) {
    for (const ruta of ['datos/contar', 'datos/borrar', 'boletin/bajas']) {
      const respuesta = await request.post(`/api/admin/${ruta}`, {
        data: { email: 'eva@x.do', emails: ['eva@x.do'] },
        headers: { Authorization },
      })
      expect(respuesta.status(), ruta).toBe(403)
    }
  }
  expect(await listar('ContactRequests')).toHaveLength(1)
})

test('P-14 the newsletter’s list has a link for each address, which takes it off the list without scripts', async ({ page, browser }) => {
  await escribir('Massive Boletin/uno', { email: 'eva@x.do', source: 'homepage', createdAt: new Date() })
  await escribir('Massive Boletin/dos', { email: 'otra@x.do', source: 'homepage', createdAt: new Date(0) })
  await entrar(page)
  await page.getByRole('tab', { name: 'Boletín' }).click()
  const descarga = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Descargar CSV' }).click()
  const lineas = (await readFile((await (await descarga).path()) ?? '', 'utf8')).trim().split('\r\n')
  expect(lineas[0]).toContain('"Enlace de baja"')
  const enlace = /"(http[^"]+\/boletin\/baja\?t=[^"]+)"/.exec(lineas[1] ?? '')?.[1] ?? ''
  const contexto = await browser.newContext({ javaScriptEnabled: false })
  const visita = await contexto.newPage()
  await visita.goto(enlace)
  await expect(visita.getByText('¿Quieres dejar de recibir el boletín en eva@x.do?')).toBeVisible()
  expect(await listar('Massive Boletin')).toHaveLength(2)
  await visita.getByRole('button', { name: 'Darme de baja' }).click()
  await expect(visita.getByRole('status')).toHaveText('Listo: ya no recibirás el boletín. Borramos tu correo de la lista.')
  expect((await listar('Massive Boletin')).map(({ email }) => email)).toEqual(['otra@x.do'])
  const otraVez = await contexto.request.post(enlace)
  expect(otraVez.status()).toBe(200)
  const falso = await visita.goto(enlace.replace(/.$/, (letra) => (letra === 'A' ? 'Q' : 'A')))
  expect(falso?.status()).toBe(404)
  await expect(visita.getByRole('alert')).toContainText('Este enlace no es válido')
  await contexto.close()
})
