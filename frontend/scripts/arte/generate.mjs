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

/** The pictures whose staff and clef are drawn from left to right when the page is loaded. */
const DRAWN = ['hero-1', 'calendario-hero']
const MOTION =
  '@media (prefers-reduced-motion:no-preference){.pauta path{stroke-dasharray:2000;animation:p 1.6s ease-out both}.clave{animation:c .6s ease-out both}}' +
  '@keyframes p{from{stroke-dashoffset:2000}}@keyframes c{from{opacity:0}}'

/** Adds styles to a picture: the colours for the dark theme, and its animation if it has one. */
function byNight(svg, motion) {
  const rules = Object.entries(NIGHT).flatMap(([day, night]) =>
    ['fill', 'stroke'].flatMap((of) =>
      svg.includes(`${of}="${day.toLowerCase()}"`) ? [`[${of}="${day.toLowerCase()}"]{${of}:${night.toLowerCase()}}`] : [],
    ),
  )
  if (new RegExp(`<path[^>]*fill="${P.crema}"[^>]*class="suelo"`, 'i').test(svg)) rules.push(`.suelo{fill:${NIGHT_PAPER.toLowerCase()}}`)
  const styles = `${rules.length > 0 ? `@media (prefers-color-scheme:dark){${rules.join('')}}` : ''}${motion}`
  if (!styles) return svg
  return svg.replace(/^<svg[^>]*>/, (open) => `${open}<style>${styles}</style>`)
}

/** Reduces the size of a file without visible changes. */
const settings = {
  multipass: true,
  plugins: [{ name: 'preset-default', params: { overrides: { convertPathData: { floatPrecision: 1 }, cleanupNumericValues: { floatPrecision: 2 } } } }],
}

mkdirSync(out, { recursive: true })
for (const [name, draw] of pictures()) {
  if (only && !name.startsWith(only)) continue
  writeFileSync(join(out, `${name}.svg`), `${byNight(optimize(draw(), settings).data, DRAWN.includes(name.replace('-movil', '')) ? MOTION : '')}\n`)
}
if (!only) {
  writeFileSync(join(out, 'logo-texto.svg'), `${wordsSprite()}\n`)
  writeFileSync(join(root, 'public/favicon.svg'), `${optimize(favicon(), settings).data}\n`)
  await writeRaster(join(root, 'public'))
  writeFileSync(join(root, 'src/art/instrument-strokes.tsx'), instrumentsSource())
  writeFileSync(join(root, 'src/art/mark-stroke.tsx'), markSource())
}
