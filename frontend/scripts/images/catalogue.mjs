/** Pure functions on the picture catalogue: what is valid, what is cut, what the page needs. */

/** Widths in which a photo is offered; the ones wider than its crop are left out. */
export const WIDTHS = [480, 768, 1080, 1600]

/** No published picture file may be heavier. */
export const MAX_BYTES = 250 * 1024

/** Shape of the upright cut that heroes show on narrow screens. */
export const UPRIGHT = { width: 630, height: 840 }

/** Grounds a photo may have while it loads, by the class name that paints them. */
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

/** Where a stretch of the given size begins, around a centre and inside a total. */
const within = (centre, size, total) => Math.max(0, Math.min(total - size, Math.round(centre * total - size / 2)))

/** The largest rectangle of the wanted shape inside a photo, as near to the focal point as its borders allow. */
export function crop(photo, shape, [fx, fy] = [0.5, 0.5]) {
  const wanted = shape.width / shape.height
  const width = Math.min(photo.width, Math.round(photo.height * wanted))
  const height = Math.min(photo.height, Math.round(photo.width / wanted))
  return { left: within(fx, width, photo.width), top: within(fy, height, photo.height), width, height }
}

/** The widths offered for a crop: never enlarged, and always at least one. */
export function widthsFor(cropWidth) {
  const fit = WIDTHS.filter((w) => w <= cropWidth)
  return fit.length > 0 ? fit : [cropWidth]
}

/** The palette ground nearest to a colour. */
export function nearestGround([r, g, b]) {
  const distance = ([x, y, z]) => (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2
  return Object.keys(GROUNDS).reduce((best, name) => (distance(GROUNDS[name]) < distance(GROUNDS[best]) ? name : best))
}

/** Heroes have an upright version. */
export const hasUpright = (slot) => /^hero-\d+$/.test(slot)

/** The data of a slot for a page; `photo` is the result of publishing one, if there is any. */
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

/** Says in Spanish, one a line, what is wrong with the catalogue; the foundation edits that file. */
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

/** Says which published files are too heavy, given their sizes in bytes by name. */
export const heavy = (sizes) =>
  Object.entries(sizes)
    .filter(([, bytes]) => bytes > MAX_BYTES)
    .map(([name, bytes]) => `${name}: ${Math.ceil(bytes / 1024)} KB pasa de ${MAX_BYTES / 1024} KB`)

/** Which slots still show a provisional picture: marked so and without a photo. */
export const provisional = (catalogue, hasPhoto) =>
  catalogue.filter((item) => item.provisional && !hasPhoto(item.slot)).map((item) => item.slot)
