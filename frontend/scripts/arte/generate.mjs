/**
 * Draws every illustration of the site.
 *
 *   node scripts/arte/generate.mjs           all of them
 *   node scripts/arte/generate.mjs hero-2    only those whose name begins so
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { optimize } from 'svgo'
import { instrumentsSource, markSource, wordsSprite } from './components.mjs'
import { NIGHT, NIGHT_PAPER, P } from './lib/palette.mjs'
import { pictures } from './pictures.mjs'
import { writeRaster } from './raster.mjs'
import { favicon } from './scenes/cards.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const out = join(root, 'public/ilustraciones')
const only = process.argv[2]

/** How a picture looks on a dark page: its grounds and lights in the inks of the night. */
function byNight(svg) {
  const rules = Object.entries(NIGHT).flatMap(([day, night]) =>
    ['fill', 'stroke'].flatMap((of) =>
      svg.includes(`${of}="${day.toLowerCase()}"`) ? [`[${of}="${day.toLowerCase()}"]{${of}:${night.toLowerCase()}}`] : [],
    ),
  )
  if (svg.includes(`class="suelo" fill="${P.crema.toLowerCase()}"`)) rules.push(`.suelo{fill:${NIGHT_PAPER.toLowerCase()}}`)
  if (rules.length === 0) return svg
  return svg.replace(/^<svg[^>]*>/, (open) => `${open}<style>@media (prefers-color-scheme:dark){${rules.join('')}}</style>`)
}

/** Shrinks without touching what is seen. */
const settings = {
  multipass: true,
  plugins: [{ name: 'preset-default', params: { overrides: { convertPathData: { floatPrecision: 1 }, cleanupNumericValues: { floatPrecision: 2 } } } }],
}

mkdirSync(out, { recursive: true })
for (const [name, draw] of pictures()) {
  if (only && !name.startsWith(only)) continue
  writeFileSync(join(out, `${name}.svg`), `${byNight(optimize(draw(), settings).data)}\n`)
}
if (!only) {
  writeFileSync(join(out, 'logo-texto.svg'), `${wordsSprite()}\n`)
  writeFileSync(join(root, 'public/favicon.svg'), `${optimize(favicon(), settings).data}\n`)
  await writeRaster(join(root, 'public'))
  writeFileSync(join(root, 'src/art/trazos-instrumentos.tsx'), instrumentsSource())
  writeFileSync(join(root, 'src/art/trazo-marca.tsx'), markSource())
}
