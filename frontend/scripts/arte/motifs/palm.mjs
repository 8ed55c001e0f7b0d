import { P } from '../lib/palette.mjs'
import { n } from '../lib/path.mjs'

/** A palm frond. Palms are only at the edges of pictures. */
export function frond(x, y, turn, length, colour = P.hoja, flip = 1) {
  let leaves = ''
  for (let i = 1; i <= 11; i++) {
    const t = i / 12
    const px = length * t
    const py = -length * 0.33 * t * (1 - t) * 1.3 + length * 0.16 * t * t
    const l = length * 0.34 * Math.sin(Math.PI * (t * 0.82 + 0.14))
    leaves += `M${n(px)} ${n(py)}q${n(l * 0.28)} ${n(l * 0.3)} ${n(l * 0.34)} ${n(l)}q${n(-l * 0.36)} ${n(-l * 0.4)} ${n(-l * 0.34 - 14)} ${n(-l)}Z`
    leaves += `M${n(px)} ${n(py)}q${n(l * 0.5)} ${n(-l * 0.12)} ${n(l * 0.86)} ${n(l * 0.22)}q${n(-l * 0.5)} ${n(0.02 * l)} ${n(-l * 0.86 - 10)} ${n(-l * 0.1)}Z`
  }
  const rib = `M0 0C${n(length * 0.3)} ${n(-length * 0.16)} ${n(length * 0.7)} ${n(-length * 0.12)} ${length} ${n(length * 0.16)}`
  return `<g transform="translate(${x} ${y}) rotate(${turn}) scale(1 ${flip})" fill="${colour}"><path d="${rib}" fill="none" stroke="${colour}" stroke-width="6" stroke-linecap="round"/><path d="${leaves}"/></g>`
}
