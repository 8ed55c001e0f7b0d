import { P } from '../lib/palette.mjs'
import { n } from '../lib/path.mjs'

/** A row of semicircular arches in a wall from y0 to foot: the arcade of the Zona Colonial. The holes are cut by even-odd. */
export function arcade({ x, y, count, bay, pier, foot, top, fill }) {
  const radius = (bay - pier) / 2
  let holes = ''
  for (let i = 0; i < count; i++) {
    const left = x + i * bay + pier / 2
    holes += `M${n(left)} ${foot}V${n(y)}a${n(radius)} ${n(radius)} 0 0 1 ${n(radius * 2)} 0V${foot}Z`
  }
  return `<path fill-rule="evenodd" fill="${fill}" d="M${x} ${top}h${n(bay * count)}V${foot}H${x}Z${holes}"/>`
}

/** The ink of an arcade: arch rings, imposts and piers. */
export function arcadeInk({ x, y, count, bay, pier, foot }) {
  const radius = (bay - pier) / 2
  let d = ''
  for (let i = 0; i < count; i++) {
    const left = x + i * bay + pier / 2
    d += `M${n(left)} ${foot}V${n(y)}a${n(radius)} ${n(radius)} 0 0 1 ${n(radius * 2)} 0V${foot}`
    d += `M${n(left - pier + 4)} ${n(y)}h${n(pier - 8)}`
  }
  return d
}

/** A porch balustrade between x0 and x1: turned balusters under a rail. */
export function balustrade(x0, x1, rail, foot, step = 42) {
  let fill = `<path d="M${x0} ${rail}H${x1}v16H${x0}ZM${x0} ${foot - 16}H${x1}v16H${x0}Z"/>`
  let line = `<path d="M${x0} ${rail}H${x1}v16H${x0}ZM${x0} ${foot - 16}H${x1}v16H${x0}Z"/>`
  const h = foot - rail - 32
  let turned = ''
  for (let x = x0 + step / 2; x < x1; x += step) {
    turned += `M${n(x - 5)} ${rail + 16}c-2 ${n(h * 0.3)}-8 ${n(h * 0.4)}-8 ${n(h * 0.62)}q0 ${n(h * 0.2)} 5 ${n(h * 0.38)}h16q5-${n(h * 0.18)} 5-${n(h * 0.38)}c0-${n(h * 0.22)}-6-${n(h * 0.32)}-8-${n(h * 0.62)}Z`
  }
  fill += `<path d="${turned}"/>`
  line += `<path d="${turned}"/>`
  return { fill, line }
}

/** A run of fretwork (calado) hanging from y: scallops with a pierced drop. */
export function fretwork(x0, x1, y, size, fill = P.crema) {
  let d = `M${x0} ${y}`
  let holes = ''
  for (let x = x0; x < x1 - 1; x += size) {
    d += `v${n(size * 0.3)}q${n(size * 0.08)} ${n(size * 0.5)} ${n(size / 2)} ${n(size * 0.62)}q${n(size * 0.42)}-${n(size * 0.12)} ${n(size / 2)}-${n(size * 0.62)}v-${n(size * 0.3)}`
    holes += `M${n(x + size / 2)} ${n(y + size * 0.42)}h0`
  }
  return { fill: `<path d="${d}Z" fill="${fill}"/>`, line: `<path d="${d}"/><path d="${holes}"/>` }
}

/** A wooden house of the islands: tin roof, two doors, a little window, 260 × 240, its foot at y = 120. */
export const house = (wall = P.turq, roof = P.coral, door = P.sol) => ({
  fill:
    `<path d="M-110-20H110V120H-110Z" fill="${wall}"/><path d="M-136-18-60-104H60L136-18Z" fill="${roof}"/>` +
    `<path d="M-78 24h56v96h-56ZM22 24h56v96H22Z" fill="${door}"/>`,
  line:
    '<path d="M-110-18V120H110V-18"/><path d="M-136-18-60-104H60L136-18Z"/><path thin d="M-40-104-84-18M-14-104-30-18M14-104 30-18M40-104 84-18"/>' +
    '<path d="M-78 120V24h56v96M22 120V24h56v96M-50 24v96M50 24v96"/><path thin d="M-78 50h56M22 50h56"/><path d="M-78 24a28 20 0 0 1 56 0M22 24a28 20 0 0 1 56 0"/><path thin d="M-50 4v20M-66 12l10 12M-34 12l-10 12M50 4v20M34 12l10 12M66 12l-10 12"/>',
})
