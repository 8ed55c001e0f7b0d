import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { crop, hasUpright, nearestGround, UPRIGHT, widthsFor } from './catalogue.mjs'

/** The three formats, best first. Without `withMetadata` the output has no EXIF, and therefore no location. */
const FORMATS = {
  avif: (image) => image.avif({ quality: 50, effort: 4 }),
  webp: (image) => image.webp({ quality: 75 }),
  jpg: (image) => image.jpeg({ quality: 78, mozjpeg: true }),
}

/** Publishes one crop of a photo in every width and format. Returns the widths. */
async function publishCut(upright, shape, focal, base, folder) {
  const { data, info } = upright
  const cut = crop(info, shape, focal)
  const widths = widthsFor(cut.width)
  for (const width of widths) {
    for (const [extension, encode] of Object.entries(FORMATS)) {
      const image = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
      await encode(image.extract(cut).resize({ width })).toFile(join(folder, `${base}-${width}.${extension}`))
    }
  }
  return widths
}

/**
 * Publishes the photo of a slot into a folder and returns its data for a page.
 * File names contain a hash of the photo and its crop, so that they can be cached without expiry.
 */
export async function publishPhoto(item, file, folder) {
  const bytes = await readFile(file)
  const how = JSON.stringify([item.focal, item.width, item.height])
  const hash = createHash('sha256').update(bytes).update(how).digest('hex').slice(0, 8)
  const base = `${item.slot}-${hash}`
  const upright = await sharp(bytes).rotate().flatten({ background: '#FFF4DF' }).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  const { dominant } = await sharp(bytes).stats()
  const photo = {
    base,
    background: nearestGround([dominant.r, dominant.g, dominant.b]),
    widths: await publishCut(upright, item, item.focal, base, folder),
  }
  if (!hasUpright(item.slot)) return photo
  return { ...photo, phoneWidths: await publishCut(upright, UPRIGHT, item.focal, `${base}-movil`, folder) }
}
