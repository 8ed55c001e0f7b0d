import { expect, test } from '@playwright/test'
import sharp from 'sharp'
import { stopClock, seed, clearData, waitUntilLive } from './public-world'

test.beforeEach(async ({ page }) => {
  await clearData()
  await stopClock(page)
})

test('each inner page has a drawing of its own, and none is shown on two', async ({ request }) => {
  const views = new Set<string>()
  for (const route of [
    '/informacion',
    '/historia',
    '/impacto',
    '/equipo',
    '/voluntarios',
    '/programas',
    '/ensambles',
    '/contacto',
    '/donar',
    '/donar/gracias',
    '/privacidad',
  ]) {
    const path = await (await request.get(route)).text()
    const drawing = /\/ilustraciones\/cabecera-[a-z]+\.svg/.exec(path)?.[0] ?? ''
    expect(drawing, route).toBe(`/ilustraciones/cabecera-${route.split('/').at(-1)}.svg`)
    expect((await request.get(drawing)).status()).toBe(200)
    views.add(drawing)
  }
  expect(views.size).toBe(11)
})

test('the days begin above the fold, today stands out, and the days with events stand beside them', async ({ page }) => {
  await seed('saxo', '2027-09-20', '19:30', { title: 'Clínica de saxofón' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/calendario')
  const side = page.locator('.calendario-lado')
  await expect(side.getByRole('heading', { name: 'Días con eventos' })).toBeVisible()
  // The card of an event is shown once.
  await expect(page.getByRole('main').locator('img[src="/ilustraciones/evento-5.svg"]')).toHaveCount(1)
  const today = page.getByRole('button', { name: /15 de septiembre de 2027, hoy/ }).locator('.dia-numero')
  const colours = await today.evaluate((node) => [getComputedStyle(node).backgroundColor, getComputedStyle(document.body).color])
  expect(colours[0]).toBe(colours[1])
  await side.getByRole('button', { name: /lunes 20 de septiembre.*Clínica de saxofón/ }).click()
  await expect(page).toHaveURL(/dia=2027-09-20/)
  await expect(side.getByRole('link', { name: 'Clínica de saxofón' })).toHaveAttribute('href', '/eventos/saxo')
  await expect(side.locator('img')).toHaveAttribute('src', '/ilustraciones/evento-5.svg')
  const days = await page.getByRole('grid').boundingBox()
  expect(days?.y).toBeLessThan(560)
})

test('cards lead to the event as a whole: over the home, and to its page from the calendar', async ({ page }) => {
  await seed('uno', '2027-09-20', '19:30', { title: 'Recital' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/')
  const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Recital' }) })
  await expect(card.getByRole('link', { name: 'Recital' })).toHaveAttribute('href', '/eventos/uno')
  // On the drawing, away from buttons.
  await card.click({ position: { x: 60, y: 60 } })
  await expect(page.getByRole('dialog').getByRole('link', { name: /Agregar al calendario/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Ver todos' }).click()
  await expect(page).toHaveURL(/\/calendario/)
  const featured = page.getByRole('region', { name: 'Próximos Eventos Destacados' }).getByRole('listitem')
  await featured.click({ position: { x: 60, y: 60 } })
  await expect(page.getByRole('heading', { level: 1, name: 'Recital' })).toBeVisible()
})

test('a drawing has its night when the page is dark, also when the visitor chose it', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/historia')
  await page.getByRole('button', { name: 'Usar tema oscuro' }).click()
  const { data } = await sharp(await page.locator('.cabecera-arte').screenshot())
    .extract({ left: 8, top: 8, width: 1, height: 1 })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const light = [...data].slice(0, 3).reduce((sum, tone) => sum + tone, 0)
  expect(light).toBeLessThan(300)
})

for (const { path, framed } of [
  { path: '/historia', framed: '.cartel' },
  { path: '/instrumentos', framed: '.cartel-papel' },
  { path: '/instrumentos', framed: '.tarjeta-viva' },
]) {
  test(`the frame of ${framed} on ${path} is visible on all sides, also under the pointer`, async ({ page }) => {
    await page.goto(path)
    const box = page.locator(framed).first()
    await box.hover({ position: { x: 6, y: 6 } })
    await box.evaluate((node) => Promise.all(node.getAnimations({ subtree: true }).map(({ finished }) => finished)))
    const { data, info } = await sharp(await box.screenshot())
      .raw()
      .toBuffer({ resolveWithObject: true })
    const colour = (x: number, y: number) => [...data.subarray((y * info.width + x) * info.channels).subarray(0, 3)]
    const [middle, centre] = [Math.floor(info.width / 2), Math.floor(info.height / 2)]
    const ink = colour(middle, 1)
    expect(colour(info.width - 2, centre), 'right').toEqual(ink)
    expect(colour(middle, info.height - 2), 'below').toEqual(ink)
    expect(colour(1, centre), 'left').toEqual(ink)
  })
}

test('the title on a picture is inside its poster at 768 px', async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 1024 })
  for (const path of ['/instrumentos', '/calendario']) {
    await page.goto(path)
    const excess = await page.locator('.portada-cartel').evaluate((poster) => {
      const title = document.createRange()
      title.selectNodeContents(poster.querySelector('h1') ?? poster)
      const { right } = poster.getBoundingClientRect()
      const { paddingRight, borderRightWidth } = getComputedStyle(poster)
      return title.getBoundingClientRect().right - (right - Number.parseFloat(paddingRight) - Number.parseFloat(borderRightWidth))
    })
    expect(excess, path).toBeLessThanOrEqual(0.5)
  }
})

test('on a phone the poster leaves the instruments of its drawing visible', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/instrumentos')
  const [drawing, poster] = await Promise.all(['.portada', '.portada-cartel'].map((part) => page.locator(part).boundingBox()))
  expect(drawing && poster && drawing.y + drawing.height - poster.y).toBeLessThanOrEqual(8)
})

test('the footer of a phone is two columns, with networks and hours, in half a screen and a bit', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/historia')
  const foot = page.getByRole('contentinfo')
  for (const network of ['WhatsApp', 'Instagram', 'YouTube']) await expect(foot.getByRole('link', { name: network })).toBeVisible()
  await expect(foot.getByText('Lunes a sábado')).toBeVisible()
  expect((await foot.boundingBox())?.height).toBeLessThan(620)
})

test('/donar shows the effect of amounts, and cards are filled', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/donar')
  for (const amount of ['RD$ 500', 'RD$ 1,500', 'RD$ 5,000']) await expect(page.getByText(amount, { exact: true })).toBeVisible()
  const gaps = await page.locator('#metodos .marco').evaluateAll((cards) =>
    cards.map((card) => {
      const last = card.lastElementChild?.getBoundingClientRect().bottom ?? 0
      return card.getBoundingClientRect().bottom - last
    }),
  )
  for (const gap of gaps) expect(gap).toBeLessThan(48)
})

test('the first action for an event is visible when it opens', async ({ page }) => {
  await seed('gala', '2027-09-20', '19:30', { description: 'Una noche de cuerdas.\n'.repeat(12) })
  await page.goto('/')
  const dialog = page.getByRole('dialog')
  for (const [width, height] of [
    [360, 740],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.getByRole('button', { name: 'Más información' }).click()
    await expect(dialog.locator('img')).toBeInViewport()
    await expect(dialog.getByRole('link', { name: /^Agregar al calendario/ })).toBeInViewport({ ratio: 1 })
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  }
})

test('the button that closes an event stands on its picture, which reaches the edges of the dialog', async ({ page }) => {
  await seed('gala', '2027-09-20', '19:30')
  await page.goto('/')
  for (const [width, height] of [
    [360, 740],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.getByRole('button', { name: 'Más información' }).click()
    const dialog = page.getByRole('dialog')
    const [box, picture, close] = await Promise.all(
      [dialog, dialog.locator('img'), dialog.getByRole('button', { name: 'Cerrar' })].map((part) => part.boundingBox()),
    )
    if (!box || !picture || !close) throw new Error('the dialog is not there')
    expect(picture.y - box.y).toBeLessThan(3)
    expect(box.width - picture.width).toBeLessThan(5)
    expect(close.y).toBeGreaterThan(picture.y)
    expect(close.y + close.height).toBeLessThan(picture.y + picture.height)
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  }
})

test('an event’s page shows its date once, and on a phone the first action is above the fold', async ({ page }) => {
  await seed('gala', '2027-09-20', '19:30', { price: 500, featuredArtist: 'Ana Luz' })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/eventos/gala')
  const body = page.getByRole('article')
  await expect(body.getByText('20 SEP 2027 • 19:30', { exact: true })).toHaveCount(1)
  await expect(body.getByText('20 SEP 2027')).toHaveCount(1)
  await expect(body.getByText('Lunes')).toBeVisible()
  for (const text of ['Teatro Nacional', 'RD$500.00', 'Ana Luz']) await expect(body.getByText(text, { exact: true })).toBeVisible()
  await expect(body.getByRole('link', { name: /Agregar a Google Calendar/ })).toBeInViewport({ ratio: 1 })
})

test('an event’s page shows the next events, without itself', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await seed('uno', '2027-09-20', '19:30', { title: 'Recital' })
  await page.goto('/eventos/uno')
  await expect(page.getByRole('heading', { level: 1, name: 'Recital' })).toBeVisible()
  const others = page.getByRole('region', { name: 'También en la agenda' })
  await expect(others).toBeHidden()
  for (const day of ['21', '22', '23', '24']) await seed(`dia-${day}`, `2027-09-${day}`, '19:30')
  await expect(others.getByRole('heading', { level: 3 })).toHaveText(['Evento dia-21', 'Evento dia-22', 'Evento dia-23'])
  await others
    .getByRole('listitem')
    .first()
    .click({ position: { x: 60, y: 60 } })
  await expect(page.getByRole('heading', { level: 1, name: 'Evento dia-21' })).toBeVisible()
  await expect(others.getByRole('heading', { level: 3 })).toHaveText(['Recital', 'Evento dia-22', 'Evento dia-23'])
})

test('a past event is marked, and links to upcoming ones', async ({ page }) => {
  await seed('ayer', '2027-09-14', '19:30')
  await seed('en-curso', '2027-09-15', '13:00')
  await page.goto('/eventos/ayer')
  await expect(page.getByText('Finalizado', { exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: /Agregar a Google Calendar/ })).toBeHidden()
  await page.getByRole('link', { name: 'Ver los próximos eventos' }).click()
  await expect(page).toHaveURL('/calendario')
  await page.goto('/eventos/en-curso')
  await expect(page.getByRole('link', { name: /Agregar a Google Calendar/ })).toBeVisible()
  await expect(page.getByText('Finalizado', { exact: true })).toBeHidden()
})

test('beside a form there is no column that is half empty', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  for (const route of ['/voluntarios', '/instrumentos']) {
    await page.goto(route)
    const heights = await page
      .locator('#solicitud')
      .evaluate((form) => [...(form.parentElement?.children ?? [])].map((column) => column.getBoundingClientRect().height))
    expect(heights, route).toHaveLength(2)
    expect(Math.min(...heights) / Math.max(...heights), route).toBeGreaterThan(0.75)
  }
  await page.goto('/informacion')
  const holes = await page
    .getByRole('region', { name: 'Nuestros programas' })
    .locator('.marco')
    .evaluateAll((cards) =>
      cards.map((card) => card.getBoundingClientRect().bottom - (card.lastElementChild?.getBoundingClientRect().bottom ?? 0)),
    )
  for (const hole of holes) expect(hole).toBeLessThan(64)
  await page.goto('/instrumentos')
  const [steps, cards] = await Promise.all(
    ['Cómo funciona', 'Elige el tuyo'].map((name) => page.getByRole('region', { name }).boundingBox()),
  )
  expect((steps?.height ?? 0) / (cards?.height ?? 1)).toBeGreaterThan(0.75)
})

test('a week names its events once, and the details of a selected day stand beside it', async ({ page }) => {
  await seed('saxo', '2027-09-16', '19:30', { title: 'Clínica de saxofón' })
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/calendario?vista=semana')
    const grid = page.getByRole('grid')
    await expect(grid.getByText('Clínica de saxofón')).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Días con eventos' })).toHaveCount(0)
    const [week, room] = await Promise.all([grid, page.locator('.calendario-controles')].map((part) => part.boundingBox()))
    expect(week?.width, `at ${width}`).toBe(room?.width)
    await page.getByRole('button', { name: /16 de septiembre de 2027, 1 evento/ }).click()
    const side = page.locator('.calendario-lado')
    await expect(side.getByRole('link', { name: 'Clínica de saxofón' })).toBeVisible()
    await expect.poll(async () => ((await grid.boundingBox())?.width ?? 0) < (room?.width ?? 0)).toBe(width === 1280)
  }
})

test('a card of an instrument leads to the form and names it there, but keeps what the visitor wrote', async ({ page }) => {
  await page.goto('/instrumentos')
  await waitUntilLive(page)
  const message = page.getByLabel('Mensaje', { exact: true })
  const choose = (name: string) => page.getByRole('link', { name, exact: true }).click()
  await choose('Saxofón')
  await expect(page).toHaveURL(/#solicitud$/)
  await expect(message).toHaveValue('Me interesa: Saxofón.')
  await choose('Flauta')
  await expect(message).toHaveValue('Me interesa: Flauta.')
  await message.fill('Tengo nueve años.')
  await choose('Canto')
  await expect(message).toHaveValue('Tengo nueve años.')
})

test('the home page counts programs and links to them; without events it offers the newsletter', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('link', { name: 'Avísenme por correo' }).click()
  await expect(page.getByRole('heading', { name: 'Recibe nuestras noticias' })).toBeInViewport()
  await page
    .getByRole('navigation', { name: 'La fundación en números' })
    .getByRole('link', { name: '7 instrumentos para aprender' })
    .click()
  await expect(page.getByRole('heading', { level: 1, name: 'Nuestros Instrumentos' })).toBeVisible()
})

test('the cards of programs and concerts answer as a whole', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/programas')
  await page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: 'Taller de composición' }) })
    .click({ position: { x: 60, y: 60 } })
  await expect(page.getByRole('heading', { level: 1, name: 'Taller de composición' })).toBeVisible()
  await page.goto('/ensambles')
  const concert = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Concierto de Temporada' }) })
  await concert.click({ position: { x: 60, y: 60 } })
  await expect(page).toHaveURL(/#reservas$/)
})

test('a range without events links to the next one and moves the focus to the button', async ({ page }) => {
  await seed('gala', '2027-10-20', '19:30', { title: 'Gala de octubre' })
  await page.goto('/calendario')
  await page.getByRole('button', { name: 'Avanzar un mes' }).click()
  await expect(page.getByRole('heading', { level: 2, name: /octubre de 2027/i })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Mes siguiente' })).toBeFocused()
  const featured = page.getByRole('region', { name: 'Próximos Eventos Destacados' })
  await expect(featured.getByRole('link', { name: 'Gala de octubre' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Avanzar un mes' })).toHaveCount(0)
})

test('a single card takes its row, and two share it', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await seed('uno', '2027-09-20', '19:30')
  await page.goto('/')
  const cards = page.getByRole('region', { name: 'Próximos eventos' }).getByRole('listitem')
  const widths = () => cards.evaluateAll((all) => all.map((card) => Math.round(card.getBoundingClientRect().width / 100)))
  await expect.poll(widths).toEqual([12])
  await seed('dos', '2027-09-21', '19:30')
  await expect.poll(widths).toEqual([6, 6])
  await seed('tres', '2027-09-22', '19:30')
  await expect.poll(widths).toEqual([4, 4, 4])
})

test('a day of many events is not many times the same drawing, and the days stay in sight beside it', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  for (let hour = 9; hour < 18; hour++)
    await seed(`clase-${hour}`, '2027-09-20', `${String(hour).padStart(2, '0')}:00`, { title: 'Clase de violín' })
  await page.goto('/calendario?fecha=2027-09-20')
  await page.getByRole('button', { name: /20 de septiembre de 2027, 9 eventos/ }).click()
  const side = page.locator('.calendario-lado')
  await expect(side.getByRole('article')).toHaveCount(9)
  await expect(side.locator('img')).toHaveCount(1)
  await side.getByRole('article').nth(6).scrollIntoViewIfNeeded()
  await expect(page.getByRole('grid')).toBeInViewport()
  await page.getByRole('button', { name: 'Semana' }).click()
  const day = page.getByRole('button', { name: /20 de septiembre de 2027, 9 eventos/ })
  await expect(day.getByText('y 3 más')).toBeVisible()
  const cell = page.getByRole('gridcell').filter({ has: day })
  const [button, room] = await Promise.all([day.boundingBox(), cell.boundingBox()])
  expect(Math.abs((button?.height ?? 0) - (room?.height ?? 0))).toBeLessThan(4)
})

test('a very long title keeps the first action above the fold, and no label is broken', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  const title =
    'Gran concierto extraordinario de fin de temporada de la Orquesta Juvenil, el Coro Infantil y la Big Band con artistas invitados'
  await seed('largo', '2027-09-20', '19:30', { title, featuredArtist: 'Orquesta Experimental de Percusión y sus muchos invitados' })
  await page.goto('/eventos/largo')
  await expect(page.getByRole('link', { name: /Agregar a Google Calendar/ })).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/')
  await page.getByRole('button', { name: 'Más información' }).click()
  const label = page.getByRole('dialog').getByText('Artista destacado')
  const lines = await label.evaluate((node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getClientRects().length
  })
  expect(lines).toBe(1)
})
