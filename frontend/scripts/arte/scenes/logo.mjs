import letters from '../lib/letters.json' with { type: 'json' }
import { P } from '../lib/palette.mjs'
import { n, sample, smooth } from '../lib/path.mjs'

const R = 42
const C = 48

/** The wave of the mark: two swells, higher at the right. */
const wave = (y) => (x) => y - 7.6 * Math.sin(((x - 4) / 68) * 2 * Math.PI) * (1 - (x - 4) / 260) - ((x - 4) / 88) * 4

/** The points of a wave that lie inside the disc, out to its edge. */
function inside(y, margin = 0) {
  const curve = wave(y)
  return sample(curve, 4, 92, 0.5).filter(([x, py]) => (x - C) ** 2 + (py - C) ** 2 <= (R - margin) ** 2)
}
const thinned = (points) => points.filter((_, i) => i % 12 === 0 || i === points.length - 1)

/** Water: below a wave, closed by the lower arc of the disc. No clip path, so the mark may repeat in a page. */
const water = (y, fill) => {
  const points = inside(y)
  const [x, py] = points[0]
  return `<path d="${smooth(thinned(points))}A${R + 0.4} ${R + 0.4} 0 0 1 ${n(x)} ${n(py)}Z" fill="${fill}"/>`
}

/** The mark in a square of 98: a note on a staff that is also sea, in front of the sun. */
export const mark = () =>
  `<circle cx="51" cy="51" r="${R}" fill="${P.sol}"/><circle cx="${C}" cy="${C}" r="${R}" fill="${P.coral}"/>` +
  water(62, P.mar) +
  water(76, P.tinta) +
  `<path d="${[40, 48, 56].map((y) => smooth(thinned(inside(y, 0.6)))).join('')}" fill="none" stroke="${P.crema}" stroke-width="2.6"/>` +
  `<path d="M48.500 55V19h4.200c1 8 13 10.500 11 24-2.500-7-7-9.500-11-10v24Z" fill="${P.crema}"/><ellipse cx="43" cy="57" rx="9.500" ry="7" transform="rotate(-20 43 57)" fill="${P.crema}"/>`

const word = (key, x, y) => `<path transform="translate(${x} ${y})" d="${letters[key].d}"/>`

/** The wordmark beside the mark, in outlines, inside 332 × 98. */
export const words = () => word('fundacion', 112, 28) + word('linea1', 111, 58) + word('linea2', 111, 87)
