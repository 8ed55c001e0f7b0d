/** Renders the pictures that must not be SVG: icons of home screens and the social card. */
import { join } from 'node:path'
import sharp from 'sharp'
import { appIcon, card } from './scenes/cards.mjs'

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
}
