import { expect, type Page, test } from '@playwright/test'
import sharp from 'sharp'
import { clear, createAdmin, event, list, openPanel, read, write } from './admin-world'

test.beforeEach(async () => {
  await clear()
  await createAdmin()
})

/** A photo of random colours, which hardly compresses. */
async function photo(width: number, height: number, format: 'jpeg' | 'avif' = 'jpeg', quality = 80): Promise<Buffer> {
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 }
  return sharp({ create: { width, height, channels: 3, background: '#000', noise } })
    .toFormat(format, { quality })
    .toBuffer()
}
const file = (buffer: Buffer, name = 'coro.jpg', mimeType = 'image/jpeg') => ({ name, mimeType, buffer })

async function fillEvent(page: Page): Promise<void> {
  await page.getByLabel('Título').fill('Gala de otoño')
  await page.getByLabel('Descripción').fill('Una noche de cuerdas.')
  await page.getByLabel('Fecha', { exact: true }).fill('5/9/2031')
  await page.getByLabel('Hora', { exact: true }).fill('19:30')
  await page.getByLabel('Lugar').fill('Teatro')
}

test('P-06 a photo is uploaded, described, and shown on every page of its event', async ({ page, context, request }) => {
  await openPanel(page, 'Eventos')
  await fillEvent(page)
  await page.getByLabel('Imagen', { exact: true }).setInputFiles(file(await photo(1800, 1200)))
  await expect(page.getByAltText('Vista previa de la imagen')).toBeVisible()
  await page.getByRole('button', { name: 'Crear evento' }).click()
  await expect(page.getByRole('alert')).toHaveText('Describe la imagen en «Texto alternativo».')
  await expect(page.getByLabel('Texto alternativo')).toBeFocused()
  await page.getByLabel('Texto alternativo').fill('El coro canta con los brazos en alto')
  await page.getByRole('button', { name: 'Crear evento' }).click()
  await expect(page.getByText('Evento creado correctamente.')).toBeVisible()
  await expect(page.getByAltText('Vista previa de la imagen')).toBeHidden()

  const [stored] = await list('MusicEvent')
  const address = String(stored?.['imageUrl'])
  expect(address).toMatch(/^\/imagenes\/[A-Za-z0-9]{20}-1600x1067\/1600\.webp$/)
  expect(stored?.['imageAlt']).toBe('El coro canta con los brazos en alto')
  for (const [name, type, width] of [
    ['480.webp', 'image/webp', 480],
    ['960.webp', 'image/webp', 960],
    ['1600.webp', 'image/webp', 1600],
    ['compartir.jpg', 'image/jpeg', 1200],
  ] as const) {
    const answer = await request.get(address.replace('1600.webp', name))
    expect(answer.headers()).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    const made = await sharp(await answer.body()).metadata()
    expect([made.format, made.width]).toEqual([type.replace('image/', ''), width])
    expect((await answer.body()).length).toBeLessThan(900_000)
  }

  const visitor = await context.newPage()
  await visitor.goto('/calendario')
  const id = String(stored?.['id'])
  await visitor.goto(`/eventos/${id}`)
  const shown = visitor.getByRole('img', { name: 'El coro canta con los brazos en alto' })
  await expect(shown).toBeVisible()
  await expect(shown).toHaveJSProperty('complete', true)
  expect(await shown.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth)).toBeGreaterThan(400)
  expect(await shown.getAttribute('srcset')).toContain('480w')
  const html = await (await request.get(`/eventos/${id}`)).text()
  expect(html).toContain(`${address.replace('1600.webp', 'compartir.jpg')}" />`)
  await visitor.goto('/')
  await expect(visitor.getByRole('listitem').filter({ hasText: 'Gala de otoño' }).locator(`img[src="${address}"]`)).toBeVisible()
  await visitor.close()
})

test('P-06 a photo larger than the limit, and one of a format the server does not read, are made smaller before they are sent', async ({
  page,
}) => {
  await openPanel(page, 'Eventos')
  test.slow()
  const large = await photo(2800, 2000, 'jpeg', 100)
  expect(large.length).toBeGreaterThan(5 * 1024 * 1024)
  for (const upload of [file(large), file(await photo(600, 400, 'avif'), 'coro.avif', 'image/avif')]) {
    const sent = page.waitForRequest('**/api/admin/imagenes')
    await page.getByLabel('Imagen', { exact: true }).setInputFiles(upload)
    expect((await sent).headers()['content-type']).toBe('image/jpeg')
    await expect(page.getByAltText('Vista previa de la imagen')).toBeVisible()
    await page.getByRole('button', { name: 'Quitar imagen' }).click()
    await expect(page.getByAltText('Vista previa de la imagen')).toBeHidden()
  }
})

test('P-06 invalid files and an unreachable server are reported at the field', async ({ page }) => {
  await openPanel(page, 'Eventos')
  await page.getByLabel('Imagen', { exact: true }).setInputFiles(file(Buffer.from('<svg onload="alert(1)"/>'), 'a.svg', 'image/svg+xml'))
  await expect(page.getByRole('alert')).toHaveText('Usa una imagen JPEG, PNG o WebP.')
  await page.route('**/api/admin/imagenes', (route) => route.abort())
  await page.getByLabel('Imagen', { exact: true }).setInputFiles(file(await photo(60, 40)))
  await expect(page.getByRole('alert')).toHaveText('Problema de red. Verifica tu conexión.')
  await page.unroute('**/api/admin/imagenes')
  await page.getByLabel('Imagen', { exact: true }).setInputFiles(file(await photo(60, 40)))
  await expect(page.getByAltText('Vista previa de la imagen')).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('P-06 progress is shown, and saving waits for the upload', async ({ page }) => {
  await openPanel(page, 'Eventos')
  let go = () => {}
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  await page.route('**/api/admin/imagenes', async (route) => {
    await held
    await route.continue()
  })
  await page.getByLabel('Imagen', { exact: true }).setInputFiles(file(await photo(60, 40)))
  await expect(page.getByRole('progressbar', { name: 'Imagen subida' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Crear evento' })).toBeDisabled()
  go()
  await expect(page.getByAltText('Vista previa de la imagen')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Crear evento' })).toBeEnabled()
})

test('P-06 removing a picture removes both of its fields', async ({ page }) => {
  await write('MusicEvent/gala', event({ imageUrl: '/ilustraciones/evento-1.svg', imageAlt: 'Un dibujo' }))
  await openPanel(page, 'Eventos')
  await page.getByRole('article').getByRole('button', { name: 'Editar' }).click()
  const dialog = page.getByRole('dialog', { name: 'Editar evento' })
  await expect(dialog.getByLabel('Texto alternativo')).toHaveValue('Un dibujo')
  await dialog.getByRole('button', { name: 'Quitar imagen' }).click()
  await dialog.getByRole('button', { name: 'Guardar cambios' }).click()
  await expect(page.getByText('Cambios guardados.')).toBeVisible()
  const stored = await read('MusicEvent/gala')
  expect(stored).not.toHaveProperty('imageUrl')
  expect(stored).not.toHaveProperty('imageAlt')
})

test('P-06 only administrators upload', async ({ request }) => {
  const refused = await request.post('/api/admin/imagenes', { data: await photo(60, 40), headers: { 'Content-Type': 'image/jpeg' } })
  expect(refused.status()).toBe(403)
  expect(await list('EventPictures')).toEqual([])
})

for (const width of [360, 768, 1280]) {
  test(`P-06 the form with its picture fits ${width} pixels`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 })
    await openPanel(page, 'Eventos')
    if (width < 700) await page.getByRole('button', { name: 'Nuevo evento' }).click()
    await page.getByLabel('Imagen', { exact: true }).setInputFiles(file(await photo(900, 600)))
    await expect(page.getByAltText('Vista previa de la imagen')).toBeVisible()
    await page.getByRole('button', { name: 'Quitar imagen' }).scrollIntoViewIfNeeded()
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    const preview = await page.getByAltText('Vista previa de la imagen').boundingBox()
    expect((preview?.x ?? 0) + (preview?.width ?? width + 1)).toBeLessThanOrEqual(width)
    if (process.env['P06_CAPTURAS']) await page.screenshot({ path: `${process.env['P06_CAPTURAS']}/p06-${width}.png` })
  })
}
