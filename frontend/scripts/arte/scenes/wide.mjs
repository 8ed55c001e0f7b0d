import { HALO, P } from '../lib/palette.mjs'
import { band, foam, n, swell } from '../lib/path.mjs'
import { staff } from '../lib/music.mjs'
import { halftone, print, rings, sun } from '../lib/print.mjs'
import { instrument } from '../motifs/instruments.mjs'
import { frond } from '../motifs/palm.mjs'

const [LEFT, RIGHT, FOOT] = [-20, 1640, 710]
const sea = (y, phase, fill, crest) => band(swell(y, 12, 420, phase, 5, 170, phase), LEFT, RIGHT, FOOT, fill) + (crest ? foam(swell(y + 24, 11, 420, phase, 5, 170, phase), LEFT, RIGHT, crest) : '')

/** A string instrument with the wood of its neck. */
const neck = (it) => ({ ...it, fill: `<path d="M-4.200 4V-46L-6-62h12l-1.800 16V4Z" fill="${P.arena}"/>${it.fill}` })

/** An instrument in its place, all with the same line. */
const at = (name, x, y, s, r, motif = instrument(name)) => print(motif, { x, y, s, r, sw: 7.4 })

/** The seven instruments of the school on the waves. */
export function instruments() {
  return [
    rings(1120, 330, [760, 600, 450, 310], HALO),
    sun(1120, 330, 186),
    halftone(1120, 330, 186, { from: 0.1 }),
    `<path d="M-20 540C100 450 220 450 330 490S560 500 700 570V620H-20Z" fill="${P.espuma}"/>`,
    at('bateria', 1138, 452, 2.9, 0),
    sea(560, 0.3, P.turq, P.cresta),
    at('guitarra', 826, 508, 2.9, 12, neck(instrument('guitarra'))),
    at('bajo', 1484, 508, 2.9, -10, neck(instrument('bajo'))),
    sea(590, 1.9, P.ola, P.rizo),
    at('saxofon', 968, 506, 2.7, 0),
    at('canto', 1352, 536, 2.1, 20),
    sea(622, 3.1, P.mar, P.brisa),
    at('trompeta', 1226, 604, 2.2, -10),
    at('flauta', 1030, 616, 2.5, -8, instrument('flauta', P.espuma)),
    sea(654, 4.4, P.marHondo, P.fondo),
    sea(682, 0.8, P.tinta),
    frond(1640, -30, 150, 330, P.hoja) + frond(1650, -10, 176, 360, P.monte, -1) + frond(1630, 0, 118, 300, P.selva),
  ].join('')
}

/** A phase of the moon: a disc and its dark part. */
const phase = (x, y, r, lit) =>
  `<circle cx="${n(x + 6)}" cy="${n(y + 6)}" r="${r}" fill="${P.miel}"/><path d="M${n(x)} ${n(y - r)}A${r} ${r} 0 0 0 ${n(x)} ${n(y + r)}A${n(Math.abs(lit) * r)} ${r} 0 0 ${lit > 0 ? 0 : 1} ${n(x)} ${n(y - r)}Z" fill="${P.tinta}"/><circle cx="${n(x)}" cy="${n(y)}" r="${r}" fill="none" stroke="${P.tinta}" stroke-width="7"/>`

/** The phases of the moon as notes on a staff. */
export function calendar() {
  const score = staff((x) => 372 - 60 * Math.sin(((x - 300) / 1300) * Math.PI) + 16 * Math.sin((x / 420) * Math.PI), () => 38)
  const moons = [[690, 3, 0.6], [860, 1, 0], [1230, -1, 0], [1390, 1, -0.6]]
  return [
    rings(1050, 320, [760, 600, 450, 310], HALO),
    sun(1050, 320, 150),
    halftone(1050, 320, 150, { from: 0.1 }),
    score.lines(-40, RIGHT, { width: 4 }),
    score.clef(150),
    score.quarter(330, 2) + score.beamed([[450, 1], [560, 0]]),
    moons.map(([x, step, lit]) => `<path d="M${n(x + 44)} ${n(score.at(x, step) - 8)}V${n(score.at(x, step) - 150)}" stroke="${P.trazo}" stroke-width="8" stroke-linecap="round"/>${phase(x, score.at(x, step), 44, lit)}`).join(''),
    score.eighth(1512, 0, P.rosa),
    `<path d="M-20 600C140 530 300 540 430 580S620 600 720 620V650H-20Z" fill="${P.hoja}"/>`,
    sea(590, 0.3, P.turq, P.cresta),
    sea(626, 1.9, P.mar, P.brisa),
    sea(664, 4.4, P.tinta),
  ].join('')
}
