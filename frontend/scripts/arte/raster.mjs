/** Renders the pictures that must not be SVG: icons of home screens and the social card. */
import { join } from 'node:path'
import sharp from 'sharp'
import { pictures } from './pictures.mjs'
import { appIcon, card } from './scenes/cards.mjs'

/** The size of a picture in a link preview. */
const PREVIEW = { width: 1200, height: 630, fit: 'cover' }

/** The drawings of events, for the previews of links to events without pictures. */
async function writePreviews(folder) {
  for (const [name, draw] of pictures()) {
    if (!/^evento-\d+$/.test(name)) continue
    const drawing = sharp(Buffer.from(draw()), { density: 144 }).resize(PREVIEW)
    await drawing.png({ palette: true, quality: 90, effort: 10 }).toFile(join(folder, `og-${name}.png`))
  }
}

/** A drawing as PNG. The icons have few inks: 16 colours include the mixtures at their edges. */
const render = (svg, width, file, options = { colours: 16, dither: 0 }) =>
  sharp(Buffer.from(svg), { density: 288 })
    .resize({ width })
    .png({ palette: true, quality: 90, effort: 10, ...options })
    .toFile(file)

/** Writes them into the public folder. */
export async function writeRaster(folder) {
  await render(appIcon(0.12), 180, join(folder, 'apple-touch-icon.png'))
  await render(appIcon(0.08), 192, join(folder, 'icono-192.png'))
  await render(appIcon(0.08), 512, join(folder, 'icono-512.png'))
  await render(appIcon(0.3), 512, join(folder, 'icono-maskable-512.png'))
  await render(card(), 1200, join(folder, 'ilustraciones/og-default.png'), {})
  await writePreviews(join(folder, 'ilustraciones'))
}
