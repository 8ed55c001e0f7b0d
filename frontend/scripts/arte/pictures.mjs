import { looseEighth } from './lib/music.mjs'
import { P, TINTS } from './lib/palette.mjs'
import { BLOB, picture } from './lib/print.mjs'
import * as hero1 from './scenes/hero-1.mjs'
import catalogue from '../../src/content/imagenes.json' with { type: 'json' }

/** Where the upright crop of a hero looks, by default: the part that holds the essentials. */
const UPRIGHT = [700, 60, 630, 840]

/** A hero in its wide and upright formats. */
const hero = (name, scene) => [
  [name, () => picture({ width: 1600, height: 900, ground: scene.ground, body: scene.draw() })],
  [
    `${name}-movil`,
    () => picture({ width: 630, height: 840, ground: scene.ground, viewBox: scene.upright ?? UPRIGHT, body: (scene.drawUpright ?? scene.draw)() }),
  ],
]
const drawn = [...hero('hero-1', hero1)]

/** Every picture by name, as `[name, draw]`. */
export const pictures = () => {
  const simple = catalogue.flatMap(({ slot, width, height }, i) => {
    const names = /^hero-/.test(slot) ? [[slot, width, height], [`${slot}-movil`, 630, 840]] : [[slot, width, height]]
    return names.map(([name, w, h]) => [
      name,
      () => picture({ width: w, height: h, ground: Object.values(TINTS)[i % 4], body: `<g transform="translate(${w / 2} ${h / 2}) scale(${h / 400})"><path transform="translate(-100 -100)" d="${BLOB}" fill="${P.crema}"/>${looseEighth(-10, 40, 1, P.tinta)}</g>` }),
    ])
  })
  return [...simple.filter(([name]) => !drawn.some(([n]) => n === name) && !name.startsWith('og-')), ...drawn]
}
