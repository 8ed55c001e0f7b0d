import { expect } from '@playwright/test'
import { PUBLIC_PATHS } from '../../src/paths'
import { admin, createAdmin, list } from '../admin-world'
import { seed } from '../public-world'
import type { Visitor } from './visitor'

/** A flow of a visitor, at one width. */
type Flow = { name: string; width: 360 | 1280; run: (visitor: Visitor) => Promise<void> }

/** The day in Santo Domingo after a number of hours, as yyyy-mm-dd. */
const dayAfter = (hours: number) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Santo_Domingo' }).format(Date.now() + hours * 60 * 60 * 1000)
const today = () => dayAfter(0)
/** Events of today are past at the end of the day, and no longer among the next ones. */
const tomorrow = () => dayAfter(24)

const button = (name: string | RegExp, inside?: string) => ({ role: 'button', name, inside })
const heading = (name: string | RegExp) => ({ role: 'heading', name })
const dialog = (name: string) => ({ role: 'dialog', name })

/** Waits until the page's scripts run: from then on its forms can be sent. */
const lives = (visitor: Visitor) => visitor.sees(button(/^Usar tema/))

/** Home: the next events, live; an event's dialog keeps the focus and returns it. */
async function home(visitor: Visitor): Promise<void> {
  await seed('son', tomorrow(), '23:58', { title: 'Noche de son' })
  await visitor.go('/')
  await visitor.sees(heading('Noche de son'))
  const more = button(/^Más información/, 'main')
  await visitor.press(more)
  await visitor.sees(dialog('Noche de son'))
  await visitor.focuses(button('Cerrar', 'dialog[open]'))
  await visitor.key('Escape')
  await visitor.misses(dialog('Noche de son'))
  await visitor.focuses(more)
  await seed('coro', tomorrow(), '23:59', { title: 'Coro de la tarde' })
  await visitor.sees(heading('Coro de la tarde'))
}

/** The calendar: a day's events, the grid's keys, the week. */
async function calendar(visitor: Visitor): Promise<void> {
  await seed('son', today(), '23:58', { title: 'Noche de son' })
  await visitor.go('/calendario')
  const day = button(/, 1 evento, hoy$/)
  await visitor.sees(day)
  await visitor.press(button('Mes siguiente'))
  await visitor.press(button('Hoy'))
  await visitor.press(day)
  await visitor.reads('Noche de son')
  await visitor.focuses(day)
  await visitor.key('ArrowRight')
  await expect.poll(() => visitor.ask('return document.activeElement?.closest("[role=gridcell]") !== null')).toBe(true)
  await expect.poll(async () => (await visitor.find(day))[0]?.focused).toBe(false)
  await visitor.press(button('Semana'))
  await expect.poll(async () => (await visitor.find({ role: 'gridcell', name: /./ })).length).toBe(7)
}

/** An event's own page, and the way back from the calendar. */
async function eventPage(visitor: Visitor): Promise<void> {
  await seed('son', tomorrow(), '23:58', { title: 'Noche de son', price: 0 })
  await visitor.go('/eventos/son')
  await visitor.sees(heading('Noche de son'))
  await visitor.reads('Gratis')
  await visitor.sees({ role: 'link', name: /^Ver ubicación/ })
}

type Form = {
  path: string
  above?: string
  collection: string
  send: string
  error: string
  fields: Record<string, string>
  thanks: string
}

/** A form: an empty one has its error in sight with the focus, what is written is stored once. */
function form({ path, above, collection, send, error, fields, thanks }: Form): Flow['run'] {
  return async (visitor) => {
    await visitor.go(path)
    await lives(visitor)
    // Content that is loaded above the form moves it.
    if (above) await visitor.reads(above)
    await visitor.press(button(send))
    await visitor.reads(error)
    await expect.poll(() => visitor.ask(IN_SIGHT, '[role=alert]')).toBe(true)
    for (const [label, text] of Object.entries(fields)) await visitor.fill(label, text)
    await visitor.press(button(send))
    await visitor.reads(thanks)
    expect(await list(collection)).toHaveLength(1)
  }
}

/** Whether an element is in the window, whole. */
const IN_SIGHT = `
  const box = document.querySelector(arguments[0])?.getBoundingClientRect()
  return Boolean(box) && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight
`

const contact: Form = {
  path: '/contacto',
  collection: 'ContactRequests',
  send: 'Enviar mensaje',
  error: 'Completa todos los campos.',
  fields: { Nombre: 'Ana Peña', 'Correo electrónico': 'ana@x.do', Asunto: 'Clases', Mensaje: 'Hola' },
  thanks: '¡Gracias! Recibimos tu mensaje y nos pondremos en contacto.',
}

const volunteers: Form = {
  path: '/voluntarios',
  collection: 'voluntaryAplications',
  send: 'Enviar solicitud',
  error: 'Por favor completa nombre, correo y teléfono.',
  fields: { 'Nombre completo': 'Ana Peña', 'Correo electrónico': 'ana@x.do', Teléfono: '809-555-0100' },
  thanks: '¡Gracias! Recibimos tu solicitud de voluntariado.',
}

const instruments: Form = {
  path: '/instrumentos',
  collection: 'IntrumentRental',
  send: 'Enviar solicitud',
  error: 'Por favor completa nombre, correo y mensaje.',
  fields: { 'Nombre completo': 'Ana Peña', 'Correo electrónico': 'ana@x.do', Mensaje: 'Un saxofón' },
  thanks: 'Tu solicitud fue enviada correctamente.',
}

const newsletter: Form = {
  path: '/',
  above: 'Pronto anunciaremos nuevos eventos.',
  collection: 'Massive Boletin',
  send: 'Suscribirme',
  error: 'Ingresa un correo válido.',
  fields: { 'Correo electrónico': 'ana@x.do' },
  thanks: '¡Gracias! Te hemos suscrito al boletín.',
}

/** Questions, of which one answer is open at a time. */
async function questions(visitor: Visitor): Promise<void> {
  const open = () => visitor.ask('return [...document.querySelectorAll("main details")].map((one) => one.open)')
  const press = (index: number) => visitor.pressAt('main details summary', index)
  await visitor.go('/instrumentos')
  await lives(visitor)
  await press(0)
  await expect.poll(open).toEqual([true, false, false, false])
  await press(2)
  await expect.poll(open).toEqual([false, false, true, false])
  await press(2)
  await expect.poll(open).toEqual([false, false, false, false])
}

/** The donation page: a detail goes to the clipboard. */
async function donation(visitor: Visitor): Promise<void> {
  await visitor.go('/donar')
  await lives(visitor)
  await visitor.press(button('Copiar banco'))
  await visitor.sees(button('Copiado banco'))
  await visitor.sees(button('Copiar banco'))
}

/** Signing in, and an event from the panel's form to the site and back to nothing. */
async function panel(visitor: Visitor): Promise<void> {
  await createAdmin()
  await visitor.go('/LogIn')
  await visitor.fill('Correo electrónico', admin.email)
  await visitor.fill('Contraseña', admin.key)
  await visitor.press(button('Entrar'))
  await visitor.press({ role: 'tab', name: 'Eventos' })
  await visitor.sees(button(/^Nuevo evento|^Crear evento/))
  // On phones the form is a sheet, which stays open for the next event.
  const sheet = (await visitor.find(button('Nuevo evento'))).length > 0
  if (sheet) await visitor.press(button('Nuevo evento'))
  await visitor.ask("window.faults = []; addEventListener('error', ({ message }) => window.faults.push(message))")
  for (const picker of ['Abrir calendario', 'Abrir reloj']) await visitor.press(button(picker))
  const fields = {
    Título: 'Concierto',
    Descripción: 'Entrada libre',
    Fecha: '05/09/2031',
    Hora: '7:30 p. m.',
    Lugar: 'Teatro',
    Precio: '1500',
  }
  for (const [label, text] of Object.entries(fields)) await visitor.fill(label, text)
  expect(await visitor.ask('return window.faults')).toEqual([])
  await visitor.press(button('Crear evento'))
  await visitor.reads('Evento creado correctamente.')
  if (sheet) await visitor.press(button('Cerrar', 'dialog[open]'))
  await visitor.reads('05 SEP 2031 • 19:30')
  expect(await list('MusicEvent')).toMatchObject([{ date: '2031-09-05', time: '19:30', price: 1500 }])
  await visitor.press(button(/^Eliminar/, '[role=tabpanel][data-state=active]'))
  await visitor.sees({ role: 'alertdialog', name: '¿Eliminar este evento?' })
  await visitor.focuses(button('Cancelar'))
  await visitor.press(button('Eliminar', 'dialog[open]'))
  await visitor.reads('Evento eliminado.')
  await expect.poll(() => list('MusicEvent')).toEqual([])
}

/** A program: its details over the list, and its own page. */
async function program(visitor: Visitor): Promise<void> {
  await visitor.go('/programas')
  await lives(visitor)
  await visitor.press(button(/^Ver Detalles Orquesta juvenil/))
  await visitor.sees(dialog('Orquesta juvenil'))
  await visitor.press({ role: 'link', name: 'Ver la página del programa', inside: 'dialog[open]' })
  await visitor.misses(dialog('Orquesta juvenil'))
  await visitor.sees(heading('Qué se toca'))
  await expect.poll(() => visitor.ask('return location.pathname')).toBe('/programas/orquesta')
}

/** A new password is requested, and the form is left again. */
async function recovery(visitor: Visitor): Promise<void> {
  await visitor.go('/LogIn')
  await visitor.press(button('¿Olvidaste tu contraseña?'))
  await visitor.fill('Correo electrónico', 'sin arroba')
  await visitor.press(button('Enviar enlace'))
  await visitor.reads('Correo inválido.')
  await visitor.fill('Correo electrónico', admin.email)
  await visitor.press(button('Enviar enlace'))
  await visitor.reads(`Si hay una cuenta con ${admin.email}`)
  await visitor.press(button('Volver a iniciar sesión'))
  await visitor.sees(heading('Acceso Administrativo'))
}

/** The pictures that cannot be decoded, and by how much the page is wider than the window. */
const LAYOUT = `
  for (const image of document.images) image.loading = 'eager'
  return Promise.all([...document.images].map((image) => image.decode().then(() => '', () => image.currentSrc || image.src)))
    .then((broken) => ({ broken: broken.filter(Boolean), excess: document.documentElement.scrollWidth - document.documentElement.clientWidth }))
`

/** All public pages: every picture is shown, and nothing is wider than the window. */
async function layout(visitor: Visitor): Promise<void> {
  await seed('son', today(), '23:58', { title: 'Noche de son' })
  for (const path of [...PUBLIC_PATHS, '/eventos/son', '/LogIn']) {
    await visitor.go(path)
    await visitor.sees(heading(/./))
    // A picture that the page replaces while it is decoded is reported as broken once: events replace the picture of an empty list.
    await expect.poll(() => visitor.ask(LAYOUT), { message: path, timeout: 30_000 }).toEqual({ broken: [], excess: 0 })
  }
}

/** The service worker begins with the visitor's first gesture and keeps the page. */
async function worker(visitor: Visitor): Promise<void> {
  await visitor.go('/historia')
  await lives(visitor)
  await visitor.press(heading('Nuestra Historia'))
  await expect.poll(() => visitor.ask(KEPT), { timeout: 30_000 }).toContain('/historia')
}

/** The paths that the service worker keeps. */
const KEPT = `
  return caches.keys().then((names) => Promise.all(names.map((name) => caches.open(name).then((kept) => kept.keys()))))
    .then((kept) => kept.flat().map(({ url }) => new URL(url).pathname))
`

/** The main flows, which every engine must pass. */
export const FLOWS: Flow[] = [
  ...([360, 1280] as const).map((width): Flow => ({ name: 'pages and their pictures fit the window', width, run: layout })),
  { name: 'home: live events, and a dialog that keeps the focus', width: 360, run: home },
  { name: 'home: live events, and a dialog that keeps the focus', width: 1280, run: home },
  { name: 'the calendar by pointer and keys', width: 360, run: calendar },
  { name: 'the calendar by pointer and keys', width: 1280, run: calendar },
  { name: 'an event’s page', width: 360, run: eventPage },
  { name: 'the contact form', width: 360, run: form(contact) },
  { name: 'the volunteers’ form', width: 1280, run: form(volunteers) },
  { name: 'the instruments’ form', width: 360, run: form(instruments) },
  { name: 'the newsletter’s form', width: 1280, run: form(newsletter) },
  { name: 'questions and answers', width: 1280, run: questions },
  { name: 'a donation’s details', width: 360, run: donation },
  { name: 'signing in, and an event of the panel', width: 1280, run: panel },
  { name: 'signing in, and an event of the panel', width: 360, run: panel },
  { name: 'a program and its page', width: 360, run: program },
  { name: 'a new password is requested', width: 360, run: recovery },
  { name: 'the service worker', width: 1280, run: worker },
]
