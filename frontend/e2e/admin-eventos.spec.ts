import { expect, type Page, test } from '@playwright/test'
import { abrirPanel, admin, type Campos, crearAdmin, escribir, evento, leer, listar, vaciar } from './admin-mundo'

test.beforeEach(vaciar)

type Formulario = Partial<Record<'Título' | 'Descripción' | 'Fecha' | 'Hora' | 'Lugar' | 'Artista destacado' | 'Precio', string>>
const completo: Formulario = {
  Título: ' Concierto ',
  Descripción: 'Entrada libre',
  Fecha: '2031-09-05',
  Hora: '19:30',
  Lugar: 'Teatro',
  'Artista destacado': 'Coro',
  Precio: '1500.50',
}

async function rellenar(page: Page, campos: Formulario) {
  for (const [nombre, valor] of Object.entries(campos)) await page.getByLabel(nombre, { exact: true }).fill(valor)
}
const crear = (page: Page) => page.getByRole('button', { name: 'Crear evento' }).click()
const plano = (texto: string) => texto.replace(/\s+/g, ' ')

test('S-096 an event is created with its fields, and shown with two decimals', async ({ page }) => {
  const uid = await crearAdmin()
  await abrirPanel(page, 'Eventos')
  await rellenar(page, completo)
  await crear(page)
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  await expect(page.getByLabel('Título')).toHaveValue('')
  await expect(page.getByLabel('Precio')).toHaveValue('')
  const [guardado] = await listar('MusicEvent')
  const { id, createdAt, updatedAt, ...campos } = guardado ?? {}
  expect(campos).toEqual({
    title: 'Concierto',
    description: 'Entrada libre',
    location: 'Teatro',
    featuredArtist: 'Coro',
    price: 1500.5,
    date: '2031-09-05',
    time: '19:30',
    eventDate: new Date('2031-09-05T19:30:00-04:00'),
    createdBy: uid,
    createdByEmail: admin.correo,
    isPublished: true,
  })
  expect(createdAt).toBeInstanceOf(Date)
  expect(updatedAt).toEqual(createdAt)
  expect(id).toBeTruthy()
  const tarjeta = page.getByRole('article', { name: 'Concierto' })
  const texto = plano(await tarjeta.innerText())
  for (const parte of ['05 SEP 2031 • 19:30', 'Entrada libre', 'Teatro', 'Coro', 'RD$1,500.50']) expect(texto).toContain(parte)
})

test('S-097 the form is checked in its order, and nothing is written meanwhile', async ({ page }) => {
  await crearAdmin()
  await abrirPanel(page, 'Eventos')
  await rellenar(page, completo)
  const espera = async (cambio: Formulario, texto: string, campo: string) => {
    await rellenar(page, { ...completo, ...cambio })
    await crear(page)
    await expect(page.getByRole('tabpanel').getByRole('alert')).toHaveText(texto)
    await expect(page.getByLabel(campo, { exact: true })).toBeFocused()
  }
  for (const campo of ['Título', 'Descripción', 'Fecha', 'Hora', 'Lugar'] as const) {
    await espera({ [campo]: '' }, 'Completa título, fecha, hora, lugar y descripción.', campo)
  }
  for (const precio of ['abc', '-1', '0.005']) await espera({ Precio: precio }, 'El precio debe ser un número válido.', 'Precio')
  await espera({ Fecha: '2027-02-30' }, 'Fecha u hora inválida.', 'Fecha')
  await espera({ Hora: '25:00' }, 'Fecha u hora inválida.', 'Hora')
  expect(await listar('MusicEvent')).toEqual([])
  await rellenar(page, { ...completo, Precio: '', 'Artista destacado': '  ' })
  await crear(page)
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  const [guardado] = await listar('MusicEvent')
  expect(guardado).toMatchObject({ price: null, featuredArtist: '' })
})

test('F-618 a refused creation says so and keeps the text', async ({ page }) => {
  await crearAdmin()
  await abrirPanel(page, 'Eventos')
  await rellenar(page, completo)
  await page.route('**/v1/projects/**', async (ruta) => {
    await new Promise((listo) => setTimeout(listo, 500))
    await ruta.abort()
  })
  await crear(page)
  await expect(page.getByRole('button', { name: 'Guardando…' })).toBeDisabled()
  await expect(page.getByRole('tabpanel').getByRole('alert')).toHaveText('No se pudo crear el evento. Intenta de nuevo.')
  await expect(page.getByLabel('Título')).toHaveValue(' Concierto ')
  await page.unroute('**/v1/projects/**')
  await crear(page)
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
})

test('S-099 deleting asks first, S-114 and can be undone under the same id', async ({ page }) => {
  await crearAdmin()
  const original = evento({ createdAt: new Date('2025-01-02T03:04:05Z') })
  await escribir('MusicEvent/uno', original)
  await abrirPanel(page, 'Eventos')
  const tarjeta = page.getByRole('article', { name: 'Concierto de prueba' })
  await tarjeta.getByRole('button', { name: 'Eliminar' }).click()
  const aviso = page.getByRole('alertdialog', { name: '¿Eliminar este evento?' })
  await expect(aviso).toContainText('Concierto de prueba')
  await expect(aviso.getByRole('button', { name: 'Cancelar' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(aviso).toBeHidden()
  await expect(tarjeta.getByRole('button', { name: 'Eliminar' })).toBeFocused()
  expect(await leer('MusicEvent/uno')).not.toBeNull()
  await tarjeta.getByRole('button', { name: 'Eliminar' }).click()
  await aviso.getByRole('button', { name: 'Eliminar' }).click()
  await expect(tarjeta).toBeHidden()
  await expect(page.getByText('Evento eliminado.', { exact: true })).toBeVisible()
  expect(await leer('MusicEvent/uno')).toBeNull()
  await page.getByRole('button', { name: 'Deshacer' }).click()
  await expect(tarjeta).toBeVisible()
  expect(await leer('MusicEvent/uno')).toEqual(original)
})

test('F-620 a refused deletion says so', async ({ page }) => {
  await crearAdmin()
  await escribir('MusicEvent/uno', evento())
  await abrirPanel(page, 'Eventos')
  await page.getByRole('article').getByRole('button', { name: 'Eliminar' }).click()
  await page.route('**/v1/projects/**', (ruta) => ruta.abort())
  await page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(page.getByRole('alertdialog').getByRole('alert')).toHaveText('No se pudo eliminar.')
  expect(await leer('MusicEvent/uno')).not.toBeNull()
})

test('S-101 no events', async ({ page }) => {
  await crearAdmin()
  await abrirPanel(page, 'Eventos')
  await expect(page.getByText('Aún no hay eventos.')).toBeVisible()
})

test('S-114 editing keeps who made it and when, and dates the change', async ({ page, context }) => {
  await crearAdmin()
  const original = evento({ price: 0 })
  await escribir('MusicEvent/uno', original)
  await abrirPanel(page, 'Eventos')
  const otra = await context.newPage()
  await otra.goto('/AdminView?tab=eventos')
  await page.getByRole('article').getByRole('button', { name: 'Editar' }).click()
  const ventana = page.getByRole('dialog', { name: 'Editar evento' })
  await expect(ventana.getByLabel('Precio')).toHaveValue('0')
  await ventana.getByLabel('Título').fill('')
  await ventana.getByRole('button', { name: 'Guardar cambios' }).click()
  await expect(ventana.getByRole('alert')).toHaveText('Completa título, fecha, hora, lugar y descripción.')
  await ventana.getByLabel('Título').fill('Otro título')
  await ventana.getByRole('button', { name: 'Guardar cambios' }).click()
  await expect(ventana).toBeHidden()
  await expect(otra.getByRole('article', { name: 'Otro título' })).toBeVisible()
  const guardado = await leer('MusicEvent/uno')
  const { updatedAt, ...resto } = guardado ?? {}
  const { updatedAt: antes, ...esperado }: Campos = { ...original, title: 'Otro título' }
  expect(resto).toEqual(esperado)
  expect(Number(updatedAt)).not.toBe(Number(antes))
  expect(Math.abs(Number(updatedAt) - Date.now())).toBeLessThan(60_000)
})

test('P-04 an event of an older form can be edited; duplicating fills the form', async ({ page }) => {
  await crearAdmin()
  await escribir('MusicEvent/viejo', {
    title: 'Antiguo',
    description: 'D',
    location: 'L',
    eventDate: new Date('2031-09-06T01:00:00Z'),
    createdAt: new Date('2024-01-01T00:00:00Z'),
  })
  await abrirPanel(page, 'Eventos')
  await page.getByRole('article').getByRole('button', { name: 'Duplicar' }).click()
  await expect(page.getByLabel('Título')).toHaveValue('Antiguo')
  await expect(page.getByLabel('Fecha')).toHaveValue('2031-09-05')
  await expect(page.getByLabel('Hora')).toHaveValue('21:00')
  await page.getByRole('article').getByRole('button', { name: 'Editar' }).click()
  await page.getByRole('button', { name: 'Guardar cambios' }).click()
  await expect(page.getByText('Cambios guardados.')).toBeVisible()
  expect(await leer('MusicEvent/viejo')).toMatchObject({ date: '2031-09-05', time: '21:00', price: null, featuredArtist: '' })
  await crear(page)
  await expect(page.getByRole('article', { name: 'Antiguo' })).toHaveCount(2)
  await expect(page.getByLabel('Título')).toHaveValue('')
})

test('F-334 an event comes to the open home page as it is created, and goes as it is deleted', async ({ page, context }) => {
  await crearAdmin()
  const portada = await context.newPage()
  await portada.goto('/')
  await expect(portada.getByText('Pronto anunciaremos nuevos eventos.')).toBeVisible()
  await abrirPanel(page, 'Eventos')
  await rellenar(page, completo)
  await crear(page)
  await expect(portada.getByRole('heading', { name: 'Concierto', exact: true })).toBeVisible({ timeout: 2000 })
  await page.getByRole('article').getByRole('button', { name: 'Eliminar' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Eliminar' }).click()
  await expect(portada.getByRole('heading', { name: 'Concierto', exact: true })).toBeHidden({ timeout: 2000 })
})

test('P-10 an event is created, changed and deleted by the keyboard alone', async ({ page }) => {
  await crearAdmin()
  await abrirPanel(page, 'Eventos')
  await page.getByLabel('Título').focus()
  const orden = ['Recital', 'Piano y canto', '2031-09-05']
  for (const texto of orden) {
    await page.keyboard.type(texto)
    await page.keyboard.press('Tab')
  }
  await expect(page.getByRole('button', { name: 'Abrir calendario' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.type('19:30')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Teatro')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  const tarjeta = page.getByRole('article', { name: 'Recital' })
  await tarjeta.getByRole('button', { name: 'Editar' }).focus()
  await page.keyboard.press('Enter')
  const ventana = page.getByRole('dialog', { name: 'Editar evento' })
  await expect(ventana).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(tarjeta.getByRole('button', { name: 'Editar' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(tarjeta.getByRole('button', { name: 'Eliminar' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alertdialog').getByRole('button', { name: 'Cancelar' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(tarjeta).toBeHidden()
  await expect(page.getByText('Aún no hay eventos.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Eventos guardados' })).toBeFocused()
})
