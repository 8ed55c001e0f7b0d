import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import { abrirPanel, admin, borrar, crearAdmin, escribir, leer, vaciar } from './admin-mundo'

let uid = ''
test.beforeEach(async () => {
  await vaciar()
  uid = await crearAdmin()
})

const dia = (n: number) => new Date(`2026-09-${String(n).padStart(2, '0')}T12:00:00-04:00`)
const fecha = (n: number) => `${String(n).padStart(2, '0')} SEP 2026 • 12:00`
const fechaOrdenable = (n: number) => `2026-09-${String(n).padStart(2, '0')} 12:00`
const mensaje = (n: number, cambios = {}) =>
  escribir(`ContactRequests/m${n}`, {
    name: `Persona ${n}`,
    email: `p${n}@x.do`,
    subject: `Asunto ${n}`,
    message: `Mensaje ${n}`,
    status: 'new',
    createdAt: dia(n),
    ...cambios,
  })

/** The texts of the table, row by row, without its head. */
const filas = (page: Page) =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
    .evaluateAll((todas) => todas.map((fila) => [...fila.querySelectorAll('td')].map((celda) => celda.textContent)))

test('S-102 the lists without rows', async ({ page }) => {
  await abrirPanel(page, 'Boletín')
  for (const [pestana, texto] of [
    ['Boletín', 'Sin registros.'],
    ['Voluntarios', 'Sin aplicaciones.'],
    ['Contactos', 'Sin mensajes.'],
    ['Instrumentos', 'Sin solicitudes.'],
  ] as const) {
    await page.getByRole('tab', { name: pestana }).click()
    await expect(page.getByText(texto)).toBeVisible()
  }
})

test('S-102 the lists with rows: exact heads, the newest first, live', async ({ page }) => {
  await escribir('Massive Boletin/a', { email: 'a@x.do', source: 'homepage', createdAt: dia(1) })
  await escribir('Massive Boletin/b', { email: 'b@x.do', source: 'homepage', createdAt: dia(2) })
  await mensaje(1)
  await mensaje(2, { status: 'in-progress' })
  await escribir('IntrumentRental/a', { fullName: 'A', email: 'a@x.do', message: 'Uno', createdAt: dia(1) })
  await escribir('IntrumentRental/b', { fullName: 'B', email: 'b@x.do', message: 'Dos', source: 'instrumentos-page', createdAt: dia(2) })
  await abrirPanel(page, 'Boletín')
  const cabezas = page.getByRole('columnheader')
  await expect(cabezas).toHaveText(['Email', 'Fuente', 'Fecha'])
  await expect
    .poll(() => filas(page))
    .toEqual([
      ['b@x.do', 'homepage', fecha(2)],
      ['a@x.do', 'homepage', fecha(1)],
    ])
  await escribir('Massive Boletin/c', { email: 'c@x.do', source: 'homepage', createdAt: dia(3) })
  await expect(page.getByRole('row').nth(1)).toContainText('c@x.do')
  await page.getByRole('tab', { name: 'Contactos' }).click()
  await expect(cabezas).toHaveText(['Nombre', 'Email', 'Asunto', 'Mensaje', 'Estado', 'Fecha'])
  await expect
    .poll(() => filas(page))
    .toEqual([
      ['Persona 2', 'p2@x.do', 'Asunto 2', 'Mensaje 2', 'En curso', fecha(2)],
      ['Persona 1', 'p1@x.do', 'Asunto 1', 'Mensaje 1', 'Nuevo', fecha(1)],
    ])
  await page.getByRole('tab', { name: 'Instrumentos' }).click()
  await expect(cabezas).toHaveText(['Nombre', 'Email', 'Mensaje', 'Fuente', 'Fecha'])
  await expect
    .poll(() => filas(page))
    .toEqual([
      ['B', 'b@x.do', 'Dos', 'instrumentos-page', fecha(2)],
      ['A', 'a@x.do', 'Uno', 'Instrumentos', fecha(1)],
    ])
})

/** What both spellings have of a volunteer. */
const persona = (n: number) => ({ fullName: `V${n}`, email: `v${n}@x.do`, phone: `${n}`, createdAt: dia(n) })

test('S-103 volunteers of both spellings are one list', async ({ page }) => {
  await escribir('voluntaryAplications/a', { ...persona(1), message: 'uno', status: 'new', source: 'voluntarios-page' })
  await escribir('voluntaryAplications/b', { ...persona(3), message: '', source: 'voluntarios-page' })
  await escribir('voluntaryApplications/c', { ...persona(2), motivation: 'dos' })
  await escribir('voluntaryApplications/d', { ...persona(4), message: 'cuatro', status: 'new' })
  await abrirPanel(page, 'Voluntarios')
  await expect(page.getByRole('columnheader')).toHaveText(['Nombre', 'Email', 'Teléfono', 'Motivación', 'Estado', 'Fecha'])
  await expect
    .poll(() => filas(page))
    .toEqual([
      ['V4', 'v4@x.do', '4', 'cuatro', 'Nuevo', fecha(4)],
      ['V3', 'v3@x.do', '3', '—', 'Nuevo', fecha(3)],
      ['V2', 'v2@x.do', '2', 'dos', 'Nuevo', fecha(2)],
      ['V1', 'v1@x.do', '1', 'uno', 'Nuevo', fecha(1)],
    ])
  await page.getByRole('button', { name: 'V2' }).click()
  await expect(page.getByRole('dialog')).toContainText('su estado no se puede cambiar')
})

test('S-114 a form is moved along, signed and dated, and a second browser sees it', async ({ page, browser, baseURL }) => {
  await mensaje(1, { message: 'Primera línea\nSegunda <b>línea</b>' })
  await abrirPanel(page, 'Contactos')
  const colega = { correo: 'luis@x.do', clave: 'secreta2', nombre: 'Luis Gómez' }
  await crearAdmin(colega)
  const otra = await (await browser.newContext({ baseURL: baseURL ?? '' })).newPage()
  await abrirPanel(otra, 'Contactos', colega)
  await page.getByRole('row').nth(1).getByRole('cell').nth(3).click()
  const ficha = page.getByRole('dialog', { name: 'Asunto 1' })
  await expect(ficha).toContainText('Segunda <b>línea</b>')
  await expect(ficha.getByRole('link', { name: 'p1@x.do' })).toHaveAttribute('href', 'mailto:p1%40x.do')
  await ficha.getByLabel('Estado').selectOption({ label: 'Resuelto' })
  await expect(otra.getByRole('row').nth(1)).toContainText('Resuelto')
  await otra.context().close()
  await expect(ficha).toContainText('Último cambio: Ana Pérez')
  const guardado = await leer('ContactRequests/m1')
  expect(guardado).toMatchObject({ status: 'resolved', statusBy: uid, subject: 'Asunto 1' })
  expect(guardado?.['statusAt']).toBeInstanceOf(Date)
  await page.keyboard.press('Escape')
  await expect(ficha).toBeHidden()
  await page.getByLabel('Estado').selectOption({ label: 'Nuevo' })
  await expect(page.getByText('No hay resultados.')).toBeVisible()
  await page.getByRole('button', { name: 'Quitar filtros' }).click()
  await expect(page.getByRole('row')).toHaveCount(2)
})

test('P-07 many forms are moved along at once', async ({ page }) => {
  for (const n of [1, 2, 3]) await mensaje(n)
  await abrirPanel(page, 'Contactos')
  await page.getByRole('button', { name: 'Seleccionar' }).click()
  await page.getByRole('checkbox', { name: 'Seleccionar página' }).check()
  await page.getByRole('checkbox', { name: 'Seleccionar Persona 2' }).uncheck()
  await expect(page.getByText('2 seleccionados')).toBeVisible()
  await page.getByLabel('Marcar como').selectOption({ label: 'Descartado' })
  await page.getByRole('button', { name: 'Aplicar' }).click()
  await expect(page.getByText('Estado actualizado.')).toBeVisible()
  for (const [n, status] of [
    [1, 'discarded'],
    [2, 'new'],
    [3, 'discarded'],
  ] as const) {
    expect(await leer(`ContactRequests/m${n}`)).toMatchObject({ status })
  }
})

test('P-07 a refused change of status says so and changes nothing', async ({ page }) => {
  await mensaje(1)
  await abrirPanel(page, 'Contactos')
  await page.getByRole('button', { name: 'Persona 1' }).click()
  await page.route('**/v1/projects/**', (ruta) => ruta.abort())
  await page.getByRole('dialog').getByLabel('Estado').selectOption({ label: 'Resuelto' })
  await expect(page.getByRole('dialog').getByRole('alert')).toHaveText('No se pudo actualizar el estado.')
  await expect(page.getByRole('dialog').getByLabel('Estado')).toHaveValue('new')
  expect(await leer('ContactRequests/m1')).toMatchObject({ status: 'new' })
})

test('S-114 rows are sorted by their heads', async ({ page }) => {
  await mensaje(1, { name: 'Óscar' })
  await mensaje(2, { name: 'ana' })
  await mensaje(3, { name: 'Zoila' })
  await abrirPanel(page, 'Contactos')
  const nombres = async () => (await filas(page)).map(([nombre]) => nombre)
  await expect.poll(nombres).toEqual(['Zoila', 'ana', 'Óscar'])
  const cabeza = page.getByRole('columnheader', { name: 'Nombre' })
  await cabeza.getByRole('button').click()
  await expect(cabeza).toHaveAttribute('aria-sort', 'ascending')
  expect(await nombres()).toEqual(['ana', 'Óscar', 'Zoila'])
  await cabeza.getByRole('button').click()
  await expect(cabeza).toHaveAttribute('aria-sort', 'descending')
  expect(await nombres()).toEqual(['Zoila', 'Óscar', 'ana'])
  await page.getByRole('columnheader', { name: 'Fecha' }).getByRole('button').click()
  expect(await nombres()).toEqual(['Zoila', 'ana', 'Óscar'])
})

test('S-114 the CSV holds what the filter shows, and no formula', async ({ page }) => {
  await mensaje(1, { subject: '=1+1', message: 'con "comillas"; y\nsalto' })
  await mensaje(2, { name: 'Otra' })
  await abrirPanel(page, 'Contactos')
  await page.getByPlaceholder('Buscar…').fill('PERSONA')
  await expect(page.getByRole('row')).toHaveCount(2)
  const descarga = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Descargar CSV' }).click()
  const archivo = await descarga
  expect(archivo.suggestedFilename()).toMatch(/^contactos-\d{4}-\d{2}-\d{2}\.csv$/)
  const texto = await readFile(await archivo.path(), 'utf8')
  expect(texto).toBe(
    '\uFEFF"Nombre","Email","Asunto","Mensaje","Estado","Fecha"\r\n' +
      `"Persona 1","p1@x.do","'=1+1","con ""comillas""; y\nsalto","Nuevo","${fechaOrdenable(1)}"\r\n`,
  )
})

test('P-07 long lists turn their pages', async ({ page }) => {
  await Promise.all(
    Array.from({ length: 27 }, (_, n) =>
      escribir(`Massive Boletin/b${n}`, { email: `b${n}@x.do`, source: 'homepage', createdAt: new Date(2_000_000_000 + n) }),
    ),
  )
  await abrirPanel(page, 'Boletín')
  await expect(page.getByText('Total: 27')).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(26)
  await page.getByRole('button', { name: 'Página siguiente' }).click()
  await expect(page.getByText('Página 2 de 2')).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(3)
  await borrar('Massive Boletin/b0')
  await borrar('Massive Boletin/b1')
  await expect(page.getByRole('row')).toHaveCount(26)
  await expect(page.getByText('Página 2 de 2')).toBeHidden()
})

test('N-04 without a connection the lists say that they are old, and not that they are empty', async ({ page, context }) => {
  await mensaje(1)
  await abrirPanel(page, 'Contactos')
  await expect(page.getByRole('row')).toHaveCount(2)
  await context.setOffline(true)
  await expect(page.getByText('Sin conexión. Mostrando lo último recibido.')).toBeVisible({ timeout: 25_000 })
  await expect(page.getByRole('row')).toHaveCount(2)
  await page.getByRole('tab', { name: 'Boletín' }).click()
  await expect(page.getByText('Sin conexión. Todavía no se ha recibido nada.')).toBeVisible()
  await expect(page.getByText('Sin registros.')).toBeHidden()
  await context.setOffline(false)
  await expect(page.getByText('Sin registros.')).toBeVisible({ timeout: 25_000 })
})

test('the cards of narrow screens keep the names of the columns', async ({ page }) => {
  await mensaje(1)
  await page.setViewportSize({ width: 360, height: 740 })
  await abrirPanel(page, 'Contactos', admin)
  const celda = page.getByRole('cell').filter({ hasText: 'Asunto 1' })
  await expect(celda).toBeVisible()
  expect(await celda.evaluate((td) => getComputedStyle(td, '::before').content)).toBe('"Asunto"')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
})

test('P-01 the widest table fits its frame where tables begin, addresses broken before the @', async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 1024 })
  await escribir('voluntaryAplications/a', {
    fullName: 'Quisqueya Encarnación',
    email: 'quisqueya.encarnacion@ejemplo.org',
    phone: '000-000-0007',
    message: 'Manejo redes sociales y fotografía.',
    status: 'discarded',
    createdAt: dia(1),
  })
  await abrirPanel(page, 'Voluntarios')
  const tabla = page.getByRole('table')
  await expect(tabla.getByText('quisqueya.encarnacion@ejemplo.org')).toBeVisible()
  expect(await tabla.evaluate((nodo: HTMLElement) => nodo.offsetWidth - (nodo.parentElement?.clientWidth ?? 0))).toBeLessThanOrEqual(0)
  const renglones = await tabla.getByText('quisqueya.encarnacion@ejemplo.org').evaluate((nodo) => {
    const tramo = document.createRange()
    return [...nodo.childNodes].flatMap((parte) => {
      tramo.selectNodeContents(parte)
      return parte.textContent ? [new Set([...tramo.getClientRects()].map(({ top }) => top)).size] : []
    })
  })
  expect(renglones).toEqual([1, 1])
})

test('P-07 who types fast, or in the middle, loses no letter', async ({ page }) => {
  await mensaje(1)
  await abrirPanel(page, 'Contactos')
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const buscar = page.getByRole('searchbox', { name: 'Buscar…' })
  await buscar.pressSequentially('persona de la cruz')
  await expect(buscar).toHaveValue('persona de la cruz')
  await buscar.press('Home')
  await buscar.pressSequentially('otra ')
  await expect(buscar).toHaveValue('otra persona de la cruz')
  await expect(page).toHaveURL(/q=otra\+persona\+de\+la\+cruz/)
})

test('P-07 both filters are taken away at once', async ({ page }) => {
  await mensaje(1)
  await abrirPanel(page, 'Contactos')
  await page.getByLabel('Estado').selectOption({ label: 'Resuelto' })
  await page.getByRole('searchbox', { name: 'Buscar…' }).fill('zzz')
  await expect(page.getByText('No hay resultados.')).toBeVisible()
  await page.getByRole('button', { name: 'Quitar filtros' }).click()
  await expect(page.getByRole('row')).toHaveCount(2)
  await expect(page).toHaveURL(/\/AdminView\?tab=contactos$/)
})
