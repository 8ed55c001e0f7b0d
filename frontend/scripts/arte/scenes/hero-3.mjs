import { HALO, P } from '../lib/palette.mjs'
import { band, foam, n, swell } from '../lib/path.mjs'
import { staff } from '../lib/music.mjs'
import { halftone, rings, sun } from '../lib/print.mjs'

/** Robes of the choir: the outer ring, the inner ring and the ground of each voice. */
export const ROBES = [
  [P.coral, P.durazno, P.crema],
  [P.turq, P.menta, P.crema],
  [P.sol, P.oro, P.crema],
  [P.rosa, P.flor, P.crema],
  [P.mar, P.agua, P.crema],
]

/** A voice: concentric half discs over a baseline, with an open mouth. */
export function voice(x, y, r, [outer, inner, ground], open) {
  const half = (k, cx = x, cy = y) => `M${n(cx - r * k)} ${n(cy + r * 0.9)}V${n(cy)}A${n(r * k)} ${n(r * k)} 0 0 1 ${n(cx + r * k)} ${n(cy)}V${n(cy + r * 0.9)}Z`
  const arc = (k) => `M${n(x - r * k)} ${n(y + r * 0.5)}V${n(y)}A${n(r * k)} ${n(r * k)} 0 0 1 ${n(x + r * k)} ${n(y)}V${n(y + r * 0.5)}`
  const my = y - r * 0.1
  const mouth = `<ellipse cx="${n(x)}" cy="${n(my)}" rx="${n(r * 0.2)}" ry="${n(r * open)}" fill="${P.tinta}"/><path d="M${n(x - r * 0.13)} ${n(my + r * open * 0.62)}Q${n(x)} ${n(my + r * open * 0.1)} ${n(x + r * 0.13)} ${n(my + r * open * 0.62)}Q${n(x)} ${n(my + r * open * 1.12)} ${n(x - r * 0.13)} ${n(my + r * open * 0.62)}Z" fill="${P.coral}"/>`
  return (
    `<path d="${half(1)}" fill="${ground}"/><path d="${half(1, x + 6, y + 6)}" fill="${outer}"/><path d="${half(0.74, x + 5, y + 5)}" fill="${inner}"/><path d="${half(0.46, x + 4, y + 4)}" fill="${ground}"/>` +
    `<g fill="none" stroke="${P.tinta}"><path d="${arc(1)}" stroke-width="6"/><path d="${arc(0.74)}${arc(0.46)}" stroke-width="3.6"/></g>${mouth}`
  )
}

/** The middle line of the staff: it rises from behind the hills, over the sun and down. */
const line = (x) => 300 + 0.00042 * (x - 1080) ** 2 - 60 * Math.sin(((x - 640) / 560) * Math.PI)

/** A children's choir: rows of voices and a staff that rises to the sun. */
export function draw() {
  const score = staff(line, (x) => 22 + 5 * Math.sin((x / 900) * Math.PI))
  const rows = []
  for (let row = 4; row >= 0; row--) {
    const y = 842 - row * 92
    for (let i = -1; i < 8; i++) {
      const x = 60 + i * 224 + (row % 2) * 112
      const crest = 470 + 260 * Math.min(1, Math.abs(x - 1030) / 760) ** 1.3
      if (y - 80 > crest - 50) rows.push(voice(x, y, 118, ROBES[(i * 3 + row * 2 + 10) % 5], 0.13 + 0.055 * ((i * 2 + row) % 3)))
    }
  }
  return [
    rings(1040, 330, [800, 640, 480, 340], HALO),
    sun(1040, 330, 214),
    halftone(1040, 330, 214, { from: 0.2 }),
    score.lines(40, 1640),
    score.beamed([[560, 2], [640, 1]]),
    score.eighth(740, -1, P.rosa),
    score.quarter(860, 1, P.crema),
    score.beamed([[950, 0], [1040, -1], [1130, 1]], P.crema),
    score.half(1215, 2, P.crema),
    score.eighth(1330, 1),
    score.beamed([[1440, 0], [1520, -2]]),
    `<path d="M-20 620C140 560 280 580 420 620S640 640 760 660V900H-20Z" fill="${P.espuma}"/><path d="M-20 700C120 640 300 650 460 690V900H-20Z" fill="${P.hoja}"/>`,
    rows.join(''),
    band(swell(862, 9, 420, 1), -20, 1640, 910, P.mar),
    foam(swell(880, 8, 420, 1), -20, 1640, P.brisa),
    band(swell(888, 7, 380, 3), -20, 1640, 910, P.tinta),
  ].join('')
}
