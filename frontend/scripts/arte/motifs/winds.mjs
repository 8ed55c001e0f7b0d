import { P } from '../lib/palette.mjs'
import { n } from '../lib/path.mjs'

/** A row of buttons at x. */
const buttons = (cx) => [-48, -24, 0, 24, 48].map((y) => `M${cx} ${y}h0`).join('')

/** Diatonic accordion, half open, 300 × 190. */
export const accordion = (box = P.coral, bellows = P.arena, stripe = P.rosa) => {
  const folds = 7
  const x = (i) => -62 + (124 / folds) * i
  const edge = (y, out, from, to) => {
    const points = []
    for (let i = 0; i <= folds; i++) {
      points.push([x(i), y])
      if (i < folds) points.push([x(i) + 124 / folds / 2, y + out])
    }
    return (from > to ? points.toReversed() : points).map(([px, py]) => `${n(px)} ${n(py)}`).join('L')
  }
  const creases = [...Array(folds).keys()].slice(1).map((i) => `M${n(x(i))}-72V72`).join('')
  const left = '<path d="M-134-80h56q16 0 16 12V68q0 12-16 12h-56q-12 0-12-12V-68q0-12 12-12Z"/>'
  const right = '<path d="M134-80H78Q62-80 62-68V68Q62 80 78 80h56q12 0 12-12V-68q0-12-12-12Z"/>'
  return {
    fill:
      `<path d="M${edge(-72, -12, 0, 1)}L${edge(72, 12, 1, 0)}Z" fill="${bellows}"/>` +
      `<path d="M${[1, 3, 5].map((i) => `${n(x(i))}-72h${n(124 / folds)}V72h-${n(124 / folds)}Z`).join('M')}" fill="${stripe}"/>` +
      `<g fill="${box}">${left}${right}</g>`,
    line:
      `${left}${right}<path d="M${edge(-72, -12, 0, 1)}M${edge(72, 12, 0, 1)}"/><path thin d="${creases}"/>` +
      `<path d="${buttons(124)}${buttons(100)}" stroke-dasharray="none"/><g thin><circle paper cx="-106" cy="-34" r="16"/><circle paper cx="-106" cy="34" r="16"/><path d="M-114-34h16M-106-42v16M-114 34h16M-106 26v16"/></g>`,
  }
}

/** Conch (fotuto): the horn of gagá, lip to the right, 210 × 160. */
export const conch = (shell = P.arena, lip = P.rosa) => ({
  fill:
    `<path d="M-98 6C-84-10-72-16-58-18-50-44-34-58-10-62 30-74 84-54 100-16 108 22 92 56 54 70 20 82-8 70-22 48-40 44-52 36-60 24-76 24-90 18-98 6Z" fill="${shell}"/>` +
    `<path d="M100-16C70-34 30-22 18 2 6 28 22 62 54 70 92 56 108 22 100-16Z" fill="${lip}"/>`,
  line:
    '<path d="M-98 6C-84-10-72-16-58-18-50-44-34-58-10-62 30-74 84-54 100-16 108 22 92 56 54 70 20 82-8 70-22 48-40 44-52 36-60 24-76 24-90 18-98 6Z"/>' +
    '<path d="M100-16C70-34 30-22 18 2 6 28 22 62 54 70"/><path thin d="M-58-18C-50-8-52 12-60 24M-26-56C-12-40-14 16-22 48M-80-8c4 6 4 16 0 24"/><path thin d="M46 6c14-14 32-14 40-6M44 26c14-8 30-8 40 0"/>',
})

/** The bell of a brass instrument seen from the front, of the given radius. */
export const bell = (radius, brass = P.sol, inside = P.coral, dark = P.tinta) => ({
  fill: `<circle r="${radius}" fill="${brass}"/><circle r="${n(radius * 0.7)}" fill="${inside}"/><circle r="${n(radius * 0.3)}" fill="${dark}"/>`,
  line: `<circle r="${radius}"/><path thin d="M${n(-radius * 0.78)} ${n(-radius * 0.22)}A${n(radius * 0.81)} ${n(radius * 0.81)} 0 0 1 ${n(radius * 0.1)} ${n(-radius * 0.8)}"/>`,
})

/** Trombone, bell to the right, slide crossing to the left, 360 × 130. */
export const trombone = (colour = P.sol) => ({
  fill: `<path d="M70-34C120-34 140-48 168-82V34C140-2 120-14 70-16Z" fill="${colour}"/>`,
  line:
    '<path d="M70-34C120-34 140-48 168-82V34C140-2 120-14 70-16"/><path d="M70-34H-84a24 24 0 0 0 0 48H-60M70-16H-84a6 6 0 0 0 0 12h24"/>' +
    '<path d="M-60 14H120M-60 38H120M120 14a12 12 0 0 1 0 24"/><path d="M-60 6v40M-20 14v24M66 14v24"/><path d="M-60 38h-14v-8"/>',
})
