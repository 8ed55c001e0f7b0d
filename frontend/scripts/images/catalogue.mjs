/** Pure functions on the picture catalogue: validation, crops, and the data for pages. */

/** The widths of published photos. Widths above that of the crop are omitted. */
export const WIDTHS = [480, 768, 1080, 1600]

/** The maximum size of a published picture file. */
export const MAX_BYTES = 250 * 1024

/** The shape of the upright crop that heroes show on narrow screens. */
export const UPRIGHT = { width: 630, height: 840 }

/** The backgrounds of photos while they load, by the class names that paint them. */
export const GROUNDS = {
  crema: [255, 244, 223],
  arena: [247, 223, 180],
  sol: [244, 176, 62],
  coral: [228, 87, 46],
  espuma: [140, 199, 182],
  mar: [20, 124, 134],
  hoja: [63, 125, 78],
  tinta: [11, 60, 73],
}

/** The beginning of an interval of a size around a centre and inside a total. */
const within = (centre, size, total) => Math.max(0, Math.min(total - size, Math.round(centre * total - size / 2)))

/** The largest rectangle of a shape inside a photo, as close to the focal point as possible. */
export function crop(photo, shape, [fx, fy] = [0.5, 0.5]) {
  const wanted = shape.width / shape.height
  const width = Math.min(photo.width, Math.round(photo.height * wanted))
  const height = Math.min(photo.height, Math.round(photo.width / wanted))
  return { left: within(fx, width, photo.width), top: within(fy, height, photo.height), width, height }
}

/** The widths for a crop: never enlarged, and at least one. */
export function widthsFor(cropWidth) {
  const fit = WIDTHS.filter((w) => w <= cropWidth)
  return fit.length > 0 ? fit : [cropWidth]
}

/** The background of the palette nearest to a colour. */
export function nearestGround([r, g, b]) {
  const distance = ([x, y, z]) => (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2
  return Object.keys(GROUNDS).reduce((best, name) => (distance(GROUNDS[name]) < distance(GROUNDS[best]) ? name : best))
}

/** Heroes have an upright version. */
export const hasUpright = (slot) => /^hero-\d+$/.test(slot)

/** The data of a slot for a page. `photo` is the result of publishing a photo, if there is one. */
export function entry(item, photo) {
  return {
    alt: item.alt,
    width: item.width,
    height: item.height,
    ...(item.fondo ? { background: item.fondo } : {}),
    ...(hasUpright(item.slot) ? { phone: true } : {}),
    ...(photo ? { photo } : {}),
  }
}

/** Returns the errors of the catalogue in Spanish, one per line, because the foundation edits that file. */
export function problems(catalogue) {
  const found = []
  const seen = new Set()
  for (const item of catalogue) {
    const say = (what) => found.push(`${item.slot ?? '(sin slot)'}: ${what}`)
    if (!item.slot || !/^[a-z0-9-]+$/.test(item.slot)) say('el nombre debe tener solo minúsculas, números y guiones')
    if (seen.has(item.slot)) say('está repetido')
    seen.add(item.slot)
    const alt = (item.alt ?? '').trim()
    if (item.decorativa && alt) say('una imagen decorativa lleva alt vacío')
    if (!item.decorativa && alt.length < 8) say('falta el texto alternativo en español (o «decorativa»: true)')
    if (alt.length > 160) say('el texto alternativo pasa de 160 caracteres')
    if (!(item.width > 0 && item.height > 0)) say('faltan width y height')
    const [x, y] = item.focal ?? [0.5, 0.5]
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) say('focal debe estar entre 0 y 1')
    if (!item.credit) say('falta el crédito')
  }
  return found
}

/** Returns the published files that are too large, given the sizes in bytes by name. */
export const heavy = (sizes) =>
  Object.entries(sizes)
    .filter(([, bytes]) => bytes > MAX_BYTES)
    .map(([name, bytes]) => `${name}: ${Math.ceil(bytes / 1024)} KB pasa de ${MAX_BYTES / 1024} KB`)

/** Returns the slots that show a provisional picture: marked as provisional and without a photo. */
export const provisional = (catalogue, hasPhoto) =>
  catalogue.filter((item) => item.provisional && !hasPhoto(item.slot)).map((item) => item.slot)
