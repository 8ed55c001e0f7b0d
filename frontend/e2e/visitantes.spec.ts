import { expect, type Page, test } from '@playwright/test'
import { borrar, listar } from './admin-mundo'
import { esperarVida, pararReloj, sembrar, vaciarDatos } from './publico-mundo'

test.use({ viewport: { width: 1280, height: 800 } })
test.beforeEach(vaciarDatos)

const altura = (page: Page) => page.evaluate(() => Math.round(window.scrollY))

test('Back and Forward lead to where each page was left, a link to the top', async ({ page }) => {
  await pararReloj(page)
  for (const id of ['uno', 'dos', 'tres']) await sembrar(id, '2027-09-18', '19:30')
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Más información' })).toHaveCount(3)
  await page.evaluate(() => window.scrollTo(0, 1500))
  await expect.poll(() => altura(page)).toBe(1500)
  await page
    .getByRole('contentinfo')
    .getByRole('link', { name: 'Contactos' })
    .evaluate((enlace: HTMLElement) => enlace.click())
  await expect(page.getByRole('heading', { level: 1, name: 'Contactos' })).toBeVisible()
  await expect.poll(() => altura(page)).toBe(0)
  await page.evaluate(() => window.scrollTo(0, 700))
  await expect.poll(() => altura(page)).toBe(700)
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1, name: 'Todo por Medio de la Música' })).toBeAttached()
  await expect.poll(() => altura(page)).toBe(1500)
  await page.goForward()
  await expect(page.getByRole('heading', { level: 1, name: 'Contactos' })).toBeAttached()
  await expect.poll(() => altura(page)).toBe(700)
})

test('a reload stays where the page was', async ({ page }) => {
  await page.goto('/informacion')
  await page.getByRole('link', { name: 'Dona Ahora' }).scrollIntoViewIfNeeded()
  const antes = await altura(page)
  expect(antes).toBeGreaterThan(300)
  await page.reload()
  await expect.poll(() => altura(page)).toBe(antes)
})

test('a link inside the page goes to its place, and Back leaves it', async ({ page }) => {
  await page.clock.setFixedTime('2027-01-01T12:00:00-04:00')
  await page.goto('/ensambles')
  await page
    .getByRole('link', { name: /^Reservar →/ })
    .first()
    .click()
  await expect(page).toHaveURL(/#reservas$/)
  await expect(page.getByRole('heading', { name: 'Cómo reservar' })).toBeInViewport()
  await page.goBack()
  await expect(page).toHaveURL(/\/ensambles$/)
})

test('an address in capitals, or with a slash too many, still shows its page', async ({ page }) => {
  for (const [escrita, titulo, final] of [
    ['/Donar?de=afiche', 'Donar', '/donar?de=afiche'],
    ['/HISTORIA/', 'Nuestra Historia', '/historia'],
    ['/login', 'Acceso', '/LogIn'],
  ] as const) {
    await page.goto(escrita)
    await expect(page.getByRole('heading', { level: 1, name: titulo })).toBeAttached()
    await expect(page).toHaveURL(final)
  }
})

test('an address with a slash at its end leads to the one without, whatever it asks', async ({ request }) => {
  await sembrar('uno', '2027-09-18', '19:30')
  await sembrar('año nuevo', '2027-09-18', '19:30')
  for (const [escrita, final] of [
    ['/LogIn/', '/LogIn'],
    ['/AdminView/?tab=eventos', '/AdminView?tab=eventos'],
    ['/eventos/uno/', '/eventos/uno'],
    ['/eventos/a%C3%B1o%20nuevo/?de=x', '/eventos/a%C3%B1o%20nuevo?de=x'],
    ['/historia/', '/historia'],
  ] as const) {
    const respuesta = await request.get(escrita, { maxRedirects: 0 })
    expect(respuesta.status(), escrita).toBe(301)
    expect(respuesta.headers()['location'], escrita).toBe(final)
    expect((await request.get(escrita)).status(), escrita).toBe(200)
  }
})

for (const { escrita, titulo } of [
  { escrita: '/ensambles#%E0%A4%A', titulo: 'Ensambles' },
  { escrita: '/calendario?fecha=9999-12-31', titulo: 'Calendario de Eventos' },
  { escrita: '/calendario?fecha=2000-11-01&dia=2000-11-01', titulo: 'Calendario de Eventos' },
  { escrita: '/calendario?vista=%E0%A4%A&fecha=x&dia=2027-02-30', titulo: 'Calendario de Eventos' },
  { escrita: '/eventos/a%2Fb', titulo: 'Página no encontrada' },
  { escrita: '/eventos/__x__', titulo: 'Página no encontrada' },
  { escrita: `/eventos/${'a'.repeat(1501)}`, titulo: 'Página no encontrada' },
]) {
  test(`an address that nobody made shows a page: ${escrita.slice(0, 48)}`, async ({ page }) => {
    const errores: string[] = []
    page.on('pageerror', (error) => errores.push(error.message))
    await page.goto(escrita)
    await esperarVida(page)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(titulo)
    expect(errores).toEqual([])
  })
}

test('F-120 closing the modal twice at once leaves the page where it was', async ({ page }) => {
  await pararReloj(page)
  await sembrar('uno', '2027-09-18', '19:30')
  await page.goto('/historia')
  await page.goto('/')
  await page.getByRole('button', { name: 'Más información' }).click()
  await page.getByRole('button', { name: 'Cerrar' }).evaluate((equis: HTMLElement) => {
    equis.click()
    equis.click()
  })
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL('/')
  await page.getByRole('button', { name: 'Más información' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL('/')
})

test('P-02 an event that is deleted while its modal is open takes its address with it', async ({ page }) => {
  await pararReloj(page)
  await sembrar('uno', '2027-09-18', '19:30')
  await sembrar('dos', '2027-09-19', '19:30')
  await page.goto('/')
  await page.getByRole('button', { name: 'Más información' }).first().click()
  await expect(page).toHaveURL('/eventos/uno')
  await borrar('MusicEvent/uno')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL('/')
  await expect(page.getByRole('button', { name: 'Más información' })).toHaveCount(1)
})

test('P-13 what was typed before the page was alive is a person’s, and is stored', async ({ page }) => {
  let soltar = () => undefined as void
  const espera = new Promise<void>((listo) => {
    soltar = listo
  })
  await page.route('**/assets/index-*.js', async (ruta) => {
    await espera
    await ruta.continue()
  })
  await page.goto('/', { waitUntil: 'commit' })
  await page.getByLabel('Correo electrónico').fill('Temprano@Correo.do')
  soltar()
  await page.getByRole('button', { name: 'Suscribirme' }).click()
  await expect(page.getByText('¡Gracias! Te hemos suscrito al boletín.')).toBeVisible()
  expect(await listar('Massive Boletin')).toMatchObject([{ email: 'temprano@correo.do' }])
})

test('an event whose picture does not arrive has its drawing instead', async ({ page }) => {
  await pararReloj(page)
  await sembrar('uno', '2027-09-18', '19:30', { imageUrl: '/ilustraciones/no-hay.png' })
  await page.goto('/')
  const tarjeta = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Más información' }) })
  await tarjeta.scrollIntoViewIfNeeded()
  await expect(tarjeta.locator('img')).toHaveAttribute('src', /\/ilustraciones\/evento-\d\.svg$/)
  await tarjeta.getByRole('button').click()
  await expect(page.getByRole('dialog').getByRole('img')).toHaveCount(0)
  await page.goto('/eventos/uno')
  await expect(page.getByRole('main').locator('img')).toHaveAttribute('src', /\/ilustraciones\/evento-\d\.svg$/)
})

test('F-013 a dropdown opens by any focus but that of a press', async ({ page }) => {
  await page.goto('/historia')
  const barra = page.getByRole('navigation', { name: 'Principal' })
  const boton = barra.getByRole('button', { name: 'Informaciones' })
  // Hovered, it opens once the page is alive.
  await boton.hover()
  await expect(barra.getByRole('link', { name: 'Equipo' })).toBeVisible()
  await page.mouse.click(640, 600)
  await boton.focus()
  await expect(barra.getByRole('link', { name: 'Equipo' })).toBeVisible()
  await page.mouse.click(640, 600)
  await expect(barra.getByRole('link', { name: 'Equipo' })).toBeHidden()
  // A finger does not hover: its press opens, another closes.
  await boton.dispatchEvent('pointerdown', { pointerType: 'touch' })
  await boton.evaluate((nodo: HTMLElement) => {
    nodo.focus()
    nodo.click()
  })
  await expect(barra.getByRole('link', { name: 'Equipo' })).toBeVisible()
  await boton.evaluate((nodo: HTMLElement) => nodo.click())
  await expect(barra.getByRole('link', { name: 'Equipo' })).toBeHidden()
})

test('each field has a name that nothing else on its page has', async ({ page }) => {
  for (const [ruta, campos] of [
    ['/contacto', ['Nombre', 'Correo', 'Asunto', 'Mensaje']],
    ['/voluntarios', ['Nombre', 'Correo', 'Teléfono', 'Mensaje']],
    ['/instrumentos', ['Nombre', 'Correo', 'Mensaje']],
  ] as const) {
    await page.goto(ruta)
    for (const campo of campos) await expect(page.getByLabel(campo), `${ruta} ${campo}`).toHaveCount(1)
  }
})
