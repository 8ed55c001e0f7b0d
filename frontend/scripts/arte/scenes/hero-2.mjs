import { HALO, P } from '../lib/palette.mjs'
import { band, foam, swell } from '../lib/path.mjs'
import { looseEighth, loosePair, looseQuarter, staff } from '../lib/music.mjs'
import { halftone, print, rings, sun } from '../lib/print.mjs'
import { timpani } from '../motifs/drums.mjs'
import { frond } from '../motifs/palm.mjs'
import { stand } from '../motifs/room.mjs'
import { violin } from '../motifs/strings.mjs'

/** A far stand: only its shape, as a building at dawn. */
const shade = (x, y, s, colour) =>
  `<path transform="translate(${x} ${y}) scale(${s})" d="M-100-62h200L88 38H6V500H-6V38H-88Z" fill="${colour}"/>`

/** A far string instrument: a tower with its scroll. */
const tower = (x, y, s, colour) =>
  `<path transform="translate(${x} ${y}) scale(${s})" fill="${colour}" d="M0-96C30-98 50-78 50-52C50-34 40-28 36-16C32-6 36 4 44 14C56 28 66 42 66 64V700H-66V64C-66 42-56 28-44 14C-36 4-32-6-36-16C-40-28-50-34-50-52C-50-78-30-98 0-96ZM-9-96V-236C-26-244-20-270 0-268 20-270 26-246 10-236V-96Z"/>`

/** A youth orchestra: music stands as the skyline of a city at dawn. */
export function draw() {
  const street = staff(
    (x) => 848 + 8 * Math.sin((x / 700) * Math.PI),
    () => 16,
  )
  return [
    rings(1030, 520, [820, 650, 490, 350], HALO),
    sun(1030, 520, 236),
    halftone(1030, 520, 236, { from: 0.02 }),
    `<path d="M-20 640C90 560 220 560 330 590S560 560 700 610 1000 640 1700 600V800H-20Z" fill="${P.bruma}"/>`,
    [[90, 600, 0.5], [300, 585, 0.62], [505, 560, 0.55], [1290, 500, 0.62], [1430, 540, 0.5], [1545, 470, 0.72]].map((a) => shade(...a, P.espuma)).join(''),
    tower(205, 640, 0.42, P.espuma) + tower(655, 560, 0.62, P.espuma) + tower(1365, 610, 0.45, P.espuma),
    [[30, 665, 0.7], [205, 690, 0.62], [420, 650, 0.8], [590, 690, 0.6], [1225, 640, 0.7], [1400, 640, 0.86], [1580, 660, 0.8]].map((a) => shade(...a, P.turq)).join(''),
    tower(520, 690, 0.55, P.turq) + tower(1500, 640, 0.6, P.turq),
    looseEighth(840, 330, 0.9, P.tinta) + loosePair(985, 300, 0.85, P.tinta) + looseQuarter(1180, 235, 0.8, P.rosa),
    loosePair(905, 470, 0.8, P.crema, -8) + looseEighth(1100, 440, 0.85, P.crema) + looseEighth(1330, 300, 0.7, P.tinta),
    band(swell(770, 6, 700, 1), -20, 1640, 910, P.mar),
    print(timpani(), { x: 560, y: 738, s: 0.92, sw: 7.5 }),
    print(violin(P.coral), { x: 790, y: 660, s: 0.98, r: -5, sw: 7.5 }),
    print(stand({ post: 250, desk: P.turq }), { x: 950, y: 640, s: 0.92, sw: 7.5 }),
    print(violin(P.sol), { x: 1352, y: 640, s: 1.18, r: 4, sw: 7.5 }),
    print(stand({ post: 230, desk: P.rosa }), { x: 1165, y: 652, s: 1.02, sw: 7.5 }),
    print(stand({ post: 230, desk: P.coral }), { x: 300, y: 700, s: 0.86, sw: 7.5 }),
    print(stand({ post: 200, desk: P.mar }), { x: 1530, y: 690, s: 0.95, sw: 7.5 }),
    band(swell(800, 5, 820, 2), -20, 1640, 910, P.marHondo),
    foam(swell(812, 5, 820, 2), -20, 1640, P.fondo),
    band(swell(822, 4, 760, 0), -20, 1640, 910, P.tinta),
    street.lines(-40, 1640, { ink: P.fondo, width: 3 }),
    street.clef(60, { ink: P.crema, shade: P.coral }),
    street.quarter(190, 2, P.crema) + street.beamed([[300, 1], [370, -1]], P.crema) + street.eighth(520, 0, P.sol) + street.beamed([[660, 3], [725, 2], [790, 1]], P.crema) + street.half(930, 2, P.crema),
    street.beamed([[1050, 0], [1120, 2]], P.crema) + street.eighth(1250, 1, P.sol) + street.quarter(1370, -1, P.crema) + street.beamed([[1470, 1], [1540, 3]], P.crema),
    frond(-30, 560, -40, 250, P.hoja) + frond(-40, 570, -8, 280, P.monte) + frond(-40, 580, 28, 220, P.hoja),
  ].join('')
}
