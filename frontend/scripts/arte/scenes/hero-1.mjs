import { HALO, P } from '../lib/palette.mjs'
import { band, foam, swell } from '../lib/path.mjs'
import { staff } from '../lib/music.mjs'
import { halftone, print, rings, sun } from '../lib/print.mjs'
import { tambora } from '../motifs/drums.mjs'
import { instrument } from '../motifs/instruments.mjs'
import { frond } from '../motifs/palm.mjs'

const [LEFT, RIGHT, FOOT] = [-20, 1640, 910]

/** The middle line of the staff. */
const line = (x) => 470 - 120 * Math.sin(((x - 120) / 1500) * Math.PI * 1.05) + 46 * Math.sin((x / 520) * 2 * Math.PI + 0.6)

/** A staff crosses the sun and becomes the sea, with instruments among the waves. */
export function draw({ score: withScore = true } = {}) {
  const score = staff(line, (x) => 25 * (1 - 0.28 * Math.cos((x / 1600) * Math.PI * 2)))
  const wave = (y, a, length, phase, a2, length2, phase2, fill) =>
    band(swell(y, a, length, phase, a2, length2, phase2), LEFT, RIGHT, FOOT, fill)
  const crest = (y, phase, colour) => foam(swell(y, 14, 420, phase, 6, 180, 1), LEFT, RIGHT, colour)

  const notes = [
    score.lines(-40, RIGHT),
    score.clef(150),
    score.quarter(330, 2),
    score.beamed([[430, 1], [520, -1]]),
    score.eighth(640, 0, P.rosa),
    score.beamed([[745, 3], [825, 4], [905, 3]]),
    score.quarter(1010, -1, P.crema),
    score.beamed([[1120, -2], [1200, 0]], P.crema),
    score.eighth(1470, 1),
  ].join('')

  return [
    rings(1120, 400, [760, 600, 450, 320], HALO),
    sun(1120, 400, 216),
    halftone(1120, 400, 216, { from: 0.14 }),
    `<path d="M-20 690C120 560 210 600 300 560S470 590 560 632 760 640 900 730V770H-20Z" fill="${P.espuma}"/>`,
    `<path d="M-20 720C80 640 190 670 270 650S430 680 520 690 680 712 760 740V780H-20Z" fill="${P.hoja}"/>`,
    withScore ? notes : '',
    wave(715, 16, 420, 0.3, 6, 170, 0, P.turq),
    crest(740, 0.3, P.cresta),
    print(
      { ...instrument('guitarra'), fill: `<path d="M-4.200 4V-46L-6-62h12l-1.800 16V4Z" fill="${P.arena}"/>${instrument('guitarra').fill}` },
      { x: 872, y: 640, s: 3.9, r: 8, sw: 8.2 },
    ),
    wave(748, 18, 460, 1.9, 7, 190, 1, P.ola),
    crest(776, 1.9, P.rizo),
    print(instrument('trompeta'), { x: 618, y: 728, s: 3.1, r: -16, sw: 8 }),
    print(instrument('saxofon'), { x: 1098, y: 652, s: 3.9, r: 4, sw: 8.2 }),
    wave(790, 16, 380, 3.1, 7, 210, 2, P.mar),
    crest(818, 3.1, P.brisa),
    print(tambora(), { x: 1395, y: 752, s: 1.12, r: 8, sw: 8 }),
    wave(832, 14, 440, 4.4, 6, 160, 1, P.marHondo),
    crest(858, 4.4, P.fondo),
    wave(868, 12, 400, 0.8, 5, 180, 2, P.tinta),
    frond(1640, -30, 150, 420, P.hoja) + frond(1650, -10, 172, 470, P.monte, -1),
    frond(1630, 10, 122, 380, P.selva) + frond(1650, 20, 196, 300, P.hoja, -1),
  ].join('')
}
