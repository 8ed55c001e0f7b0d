import { readFile } from 'node:fs/promises'
import { expect, type Page, test } from '@playwright/test'
import { openPanel, admin, erase, createAdmin, write, read, clear } from './admin-world'

let uid = ''
test.beforeEach(async () => {
  await clear()
  uid = await createAdmin()
})

const day = (n: number) => new Date(`2026-09-${String(n).padStart(2, '0')}T12:00:00-04:00`)
const date = (n: number) => `${String(n).padStart(2, '0')} SEP 2026 • 12:00`
const sortableDate = (n: number) => `2026-09-${String(n).padStart(2, '0')} 12:00`
const message = (n: number, changes = {}) =>
  write(`ContactRequests/m${n}`, {
    name: `Persona ${n}`,
    email: `p${n}@x.do`,
    subject: `Asunto ${n}`,
    message: `Mensaje ${n}`,
    status: 'new',
    createdAt: day(n),
    ...changes,
  })

/** The texts of the table by rows, without the header. */
const rows = (page: Page) =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
    .evaluateAll((all) => all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)))

test('S-102 the lists without rows', async ({ page }) => {
  await openPanel(page, 'Boletín')
  for (const [tab, text] of [
    ['Boletín', 'Sin registros.'],
    ['Voluntarios', 'Sin aplicaciones.'],
    ['Contactos', 'Sin mensajes.'],
    ['Instrumentos', 'Sin solicitudes.'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click()
    await expect(page.getByText(text)).toBeVisible()
  }
})

test('S-102 the lists with rows: exact heads, the newest first, live', async ({ page }) => {
  await write('Massive Boletin/a', { email: 'a@x.do', source: 'homepage', createdAt: day(1) })
  await write('Massive Boletin/b', { email: 'b@x.do', source: 'homepage', createdAt: day(2) })
  await message(1)
  await message(2, { status: 'in-progress' })
  await write('IntrumentRental/a', { fullName: 'A', email: 'a@x.do', message: 'Uno', createdAt: day(1) })
  await write('IntrumentRental/b', { fullName: 'B', email: 'b@x.do', message: 'Dos', source: 'instrumentos-page', createdAt: day(2) })
  await openPanel(page, 'Boletín')
  const heads = page.getByRole('columnheader')
  await expect(heads).toHaveText(['Email', 'Fuente', 'Fecha', 'Confirmado'])
  await expect
    .poll(() => rows(page))
    .toEqual([
      ['b@x.do', 'homepage', date(2), 'No'],
      ['a@x.do', 'homepage', date(1), 'No'],
    ])
  await write('Massive Boletin/c', { email: 'c@x.do', source: 'homepage', createdAt: day(3) })
  await expect(page.getByRole('row').nth(1)).toContainText('c@x.do')
  await page.getByRole('tab', { name: 'Contactos' }).click()
  await expect(heads).toHaveText(['Nombre', 'Email', 'Asunto', 'Mensaje', 'Estado', 'Fecha'])
  await expect
    .poll(() => rows(page))
    .toEqual([
      ['Persona 2', 'p2@x.do', 'Asunto 2', 'Mensaje 2', 'En curso', date(2)],
      ['Persona 1', 'p1@x.do', 'Asunto 1', 'Mensaje 1', 'Nuevo', date(1)],
    ])
  await page.getByRole('tab', { name: 'Instrumentos' }).click()
  await expect(heads).toHaveText(['Nombre', 'Email', 'Mensaje', 'Fuente', 'Fecha'])
  await expect
    .poll(() => rows(page))
    .toEqual([
      ['B', 'b@x.do', 'Dos', 'instrumentos-page', date(2)],
      ['A', 'a@x.do', 'Uno', 'Instrumentos', date(1)],
    ])
})

/** The fields that volunteers of both collection names have. */
const person = (n: number) => ({ fullName: `V${n}`, email: `v${n}@x.do`, phone: `${n}`, createdAt: day(n) })

test('S-103 volunteers of both spellings are one list', async ({ page }) => {
  await write('voluntaryAplications/a', { ...person(1), message: 'uno', status: 'new', source: 'voluntarios-page' })
  await write('voluntaryAplications/b', { ...person(3), message: '', source: 'voluntarios-page' })
  await write('voluntaryApplications/c', { ...person(2), motivation: 'dos' })
  await write('voluntaryApplications/d', { ...person(4), message: 'cuatro', status: 'new' })
  await openPanel(page, 'Voluntarios')
  await expect(page.getByRole('columnheader')).toHaveText(['Nombre', 'Email', 'Teléfono', 'Motivación', 'Estado', 'Fecha'])
  await expect
    .poll(() => rows(page))
    .toEqual([
      ['V4', 'v4@x.do', '4', 'cuatro', 'Nuevo', date(4)],
      ['V3', 'v3@x.do', '3', '—', 'Nuevo', date(3)],
      ['V2', 'v2@x.do', '2', 'dos', 'Nuevo', date(2)],
      ['V1', 'v1@x.do', '1', 'uno', 'Nuevo', date(1)],
    ])
  await page.getByRole('button', { name: 'V2' }).click()
  await expect(page.getByRole('dialog')).toContainText('su estado no se puede cambiar')
})

test('S-114 a status is set with author and time, and a second browser shows it', async ({ page, browser, baseURL }) => {
  await message(1, { message: 'Primera línea\nSegunda <b>línea</b>' })
  await openPanel(page, 'Contactos')
  const colleague = { email: 'luis@x.do', key: 'secreta2', name: 'Luis Gómez' }
  await createAdmin(colleague)
  const another = await (await browser.newContext({ baseURL: baseURL ?? '' })).newPage()
  await openPanel(another, 'Contactos', colleague)
  await page.getByRole('row').nth(1).getByRole('cell').nth(3).click()
  const card = page.getByRole('dialog', { name: 'Asunto 1' })
  await expect(card).toContainText('Segunda <b>línea</b>')
  await expect(card.getByRole('link', { name: 'p1@x.do' })).toHaveAttribute('href', 'mailto:p1%40x.do')
  await card.getByLabel('Estado').selectOption({ label: 'Resuelto' })
  await expect(another.getByRole('row').nth(1)).toContainText('Resuelto')
  await another.context().close()
  await expect(card).toContainText('Último cambio: Ana Pérez')
  const saved = await read('ContactRequests/m1')
  expect(saved).toMatchObject({ status: 'resolved', statusBy: uid, subject: 'Asunto 1' })
  expect(saved?.['statusAt']).toBeInstanceOf(Date)
  await page.keyboard.press('Escape')
  await expect(card).toBeHidden()
  await page.getByLabel('Estado').selectOption({ label: 'Nuevo' })
  await expect(page.getByText('No hay resultados.')).toBeVisible()
  await page.getByRole('button', { name: 'Quitar filtros' }).click()
  await expect(page.getByRole('row')).toHaveCount(2)
})

test('P-07 the status of several forms is set at once', async ({ page }) => {
  for (const n of [1, 2, 3]) await message(n)
  await openPanel(page, 'Contactos')
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
    expect(await read(`ContactRequests/m${n}`)).toMatchObject({ status })
  }
})

test('P-07 a refused change of status is reported and changes nothing', async ({ page }) => {
  await message(1)
  await openPanel(page, 'Contactos')
  await page.getByRole('button', { name: 'Persona 1' }).click()
  await page.route('**/v1/projects/**', (route) => route.abort())
  await page.getByRole('dialog').getByLabel('Estado').selectOption({ label: 'Resuelto' })
  await expect(page.getByRole('dialog').getByRole('alert')).toHaveText('No se pudo actualizar el estado.')
  await expect(page.getByRole('dialog').getByLabel('Estado')).toHaveValue('new')
  expect(await read('ContactRequests/m1')).toMatchObject({ status: 'new' })
})

test('S-114 rows are sorted by their heads', async ({ page }) => {
  await message(1, { name: 'Óscar' })
  await message(2, { name: 'ana' })
  await message(3, { name: 'Zoila' })
  await openPanel(page, 'Contactos')
  const names = async () => (await rows(page)).map(([name]) => name)
  await expect.poll(names).toEqual(['Zoila', 'ana', 'Óscar'])
  const head = page.getByRole('columnheader', { name: 'Nombre' })
  await head.getByRole('button').click()
  await expect(head).toHaveAttribute('aria-sort', 'ascending')
  expect(await names()).toEqual(['ana', 'Óscar', 'Zoila'])
  await head.getByRole('button').click()
  await expect(head).toHaveAttribute('aria-sort', 'descending')
  expect(await names()).toEqual(['Zoila', 'Óscar', 'ana'])
  await page.getByRole('columnheader', { name: 'Fecha' }).getByRole('button').click()
  expect(await names()).toEqual(['Zoila', 'ana', 'Óscar'])
})

test('S-114 the CSV holds what the filter shows, and no formula', async ({ page }) => {
  await message(1, { subject: '=1+1', message: 'con "comillas"; y\nsalto' })
  await message(2, { name: 'Otra' })
  await openPanel(page, 'Contactos')
  await page.getByPlaceholder('Buscar…').fill('PERSONA')
  await expect(page.getByRole('row')).toHaveCount(2)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Descargar CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^contactos-\d{4}-\d{2}-\d{2}\.csv$/)
  const text = await readFile(await file.path(), 'utf8')
  expect(text).toBe(
    '\uFEFF"Nombre","Email","Asunto","Mensaje","Estado","Fecha"\r\n' +
      `"Persona 1","p1@x.do","'=1+1","con ""comillas""; y\nsalto","Nuevo","${sortableDate(1)}"\r\n`,
  )
})

test('P-07 long lists have pages', async ({ page }) => {
  await Promise.all(
    Array.from({ length: 27 }, (_, n) =>
      write(`Massive Boletin/b${n}`, { email: `b${n}@x.do`, source: 'homepage', createdAt: new Date(2_000_000_000 + n) }),
    ),
  )
  await openPanel(page, 'Boletín')
  await expect(page.getByText('Total: 27')).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(26)
  await page.getByRole('button', { name: 'Página siguiente' }).click()
  await expect(page.getByText('Página 2 de 2')).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(3)
  await erase('Massive Boletin/b0')
  await erase('Massive Boletin/b1')
  await expect(page.getByRole('row')).toHaveCount(26)
  await expect(page.getByText('Página 2 de 2')).toBeHidden()
})

test('N-04 without a connection the lists are marked as old and not as empty', async ({ page, context }) => {
  await message(1)
  await openPanel(page, 'Contactos')
  await expect(page.getByRole('row')).toHaveCount(2)
  await context.setOffline(true)
  await expect(page.getByText('Sin conexión. Mostrando lo último recibido.')).toBeVisible({ timeout: 40_000 })
  await expect(page.getByRole('row')).toHaveCount(2)
  await page.getByRole('tab', { name: 'Boletín' }).click()
  await expect(page.getByText('Sin conexión. Todavía no se ha recibido nada.')).toBeVisible()
  await expect(page.getByText('Sin registros.')).toBeHidden()
  await context.setOffline(false)
  await expect(page.getByText('Sin registros.')).toBeVisible({ timeout: 40_000 })
})

test('a row of narrow screens has two lines with the names of the columns, and the details have the rest', async ({ page }) => {
  await message(1)
  await page.setViewportSize({ width: 360, height: 740 })
  await openPanel(page, 'Contactos', admin)
  const cells = page.getByRole('cell')
  await expect(cells.filter({ hasText: 'Asunto 1' })).toBeVisible()
  const shown = await cells.evaluateAll((all) =>
    all
      .filter((td) => td.checkVisibility())
      .map((td) => ({ label: getComputedStyle(td, '::before').content, line: Math.round(td.getBoundingClientRect().bottom) })),
  )
  expect(shown.map(({ label }) => label)).toEqual(['"Nombre"', '"Asunto"', '"Estado"', '"Fecha"'])
  expect(new Set(shown.map(({ line }) => line)).size).toBe(2)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  await page.getByRole('button', { name: 'Persona 1' }).click()
  for (const name of ['Email', 'Mensaje']) await expect(page.getByRole('dialog').getByText(name, { exact: true })).toBeVisible()
})

test('P-01 the widest table fits its frame where tables begin, addresses broken before the @', async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 1024 })
  await write('voluntaryAplications/a', {
    fullName: 'Quisqueya Encarnación',
    email: 'quisqueya.encarnacion@ejemplo.org',
    phone: '000-000-0007',
    message: 'Manejo redes sociales y fotografía.',
    status: 'discarded',
    createdAt: day(1),
  })
  await openPanel(page, 'Voluntarios')
  const table = page.getByRole('table')
  await expect(table.getByText('quisqueya.encarnacion@ejemplo.org')).toBeVisible()
  expect(await table.evaluate((node: HTMLElement) => node.offsetWidth - (node.parentElement?.clientWidth ?? 0))).toBeLessThanOrEqual(0)
  const lines = await table.getByText('quisqueya.encarnacion@ejemplo.org').evaluate((node) => {
    const range = document.createRange()
    return [...node.childNodes].flatMap((part) => {
      range.selectNodeContents(part)
      return part.textContent ? [new Set([...range.getClientRects()].map(({ top }) => top)).size] : []
    })
  })
  expect(lines).toEqual([1, 1])
})

test('P-07 fast typing, also in the middle, loses no letter', async ({ page }) => {
  await message(1)
  await openPanel(page, 'Contactos')
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const search = page.getByRole('searchbox', { name: 'Buscar…' })
  await search.pressSequentially('persona de la cruz')
  await expect(search).toHaveValue('persona de la cruz')
  await search.press('Home')
  await search.pressSequentially('otra ')
  await expect(search).toHaveValue('otra persona de la cruz')
  await expect(page).toHaveURL(/q=otra\+persona\+de\+la\+cruz/)
})

test('P-07 both filters are removed together', async ({ page }) => {
  await message(1)
  await openPanel(page, 'Contactos')
  await page.getByLabel('Estado').selectOption({ label: 'Resuelto' })
  await page.getByRole('searchbox', { name: 'Buscar…' }).fill('zzz')
  await expect(page.getByText('No hay resultados.')).toBeVisible()
  await page.getByRole('button', { name: 'Quitar filtros' }).click()
  await expect(page.getByRole('row')).toHaveCount(2)
  await expect(page).toHaveURL(/\/AdminView\?tab=contactos$/)
})
