import { GLYPHS, loosePair, looseEighth, looseQuarter } from '../lib/music.mjs'
import { P, TINTS } from '../lib/palette.mjs'
import { n, polar } from '../lib/path.mjs'
import { halftone, print, rings, sun } from '../lib/print.mjs'
import { guira, tamboraHead } from '../motifs/drums.mjs'
import { instrument } from '../motifs/instruments.mjs'
import { baton, clefKey, cup, hand, keys, metronome, stand } from '../motifs/room.mjs'
import { violin } from '../motifs/strings.mjs'

/** The president's place: an open score and a raised baton. */
const rostrum = () =>
  rings(240, 200, [196, 150], [P.trigo, P.oro]) + sun(240, 200, 108, P.miel, P.sol, 8) + halftone(240, 200, 108, { from: 0, colour: P.sol }) +
  `<path d="M-10 430H490V490H-10Z" fill="${P.coral}"/><path d="M-10 430H490" stroke="${P.tinta}" stroke-width="7"/>` +
  print(stand({ post: 150, desk: P.mar }), { x: 240, y: 278, s: 1.3, sw: 8.4 }) + print(baton(P.coral), { x: 212, y: 158, s: 1.1, r: -6, sw: 8 }) +
  looseEighth(402, 214, 0.8, P.rosa) + loosePair(46, 190, 0.66, P.trazo)

/** The vice-president's: a metronome on a piano. */
const lesson = () => {
  const { white, black } = keys(8, 62, 150)
  return (
    sun(240, 196, 160, P.menta, P.bruma, 10) + print(metronome(P.coral, 18), { x: 240, y: 190, s: 1.24, sw: 8 }) +
    `<path d="M-10 324H490V490H-10Z" fill="${P.mar}"/><path d="M-10 324H490" stroke="${P.tinta}" stroke-width="7"/>` +
    `<g transform="translate(-8 356)"><path d="${white}" fill="${P.crema}"/><path d="${white}" fill="none" stroke="${P.tinta}" stroke-width="6" stroke-linejoin="round"/><path d="${black}" fill="${P.tinta}"/></g>` +
    looseEighth(408, 190, 0.8, P.rosa) + looseQuarter(70, 230, 0.76, P.trazo)
  )
}

/** The coordinator's: a month whose days are notes, and the key of the room. */
const agenda = () => {
  const days = [...Array(12).keys()].map((i) => [106 + (i % 4) * 66, 214 + Math.floor(i / 4) * 66])
  const rows = '<path d="M62 236H338M62 302H338M124 176V372M192 176V372M262 176V372"/>'
  return (
    sun(240, 226, 176, P.flor, P.petalo, 10) + `<g transform="translate(62 58) scale(.74)">` +
    `<g transform="translate(2 20) rotate(-4 200 250) scale(.94)"><path d="M70 108H346V380H70Z" fill="${P.crema}"/><path d="M70 108H346V180H70Z" fill="${P.sol}"/>` +
    `<g fill="none" stroke="${P.tinta}" stroke-width="8" stroke-linejoin="round" stroke-linecap="round"><path d="M62 100H338V372H62Z"/><path d="M62 172H338"/><g stroke-width="4">${rows}</g><path d="M130 82v40M200 82v40M270 82v40"/></g>` +
    days.map(([x, y], i) => ([2, 5, 7, 8].includes(i) ? looseQuarter(x - 20, y + 12, 0.36, i === 5 ? P.rosa : P.tinta) : '')).join('') +
    `</g>` + print(clefKey(GLYPHS.gClef, P.turq), { ink: P.trazo, x: 398, y: 262, s: 0.92, r: 10, sw: 8 }) + `</g>`
  )
}

/** Chairs and stands in a ring, from above. */
const circle = () => {
  const seats = [...Array(9).keys()].map((i) => {
    const a = i * 40 - 90
    const [x, y] = polar(320, 240, 178, a)
    const [sx, sy] = polar(320, 240, 108, a)
    const colour = [P.coral, P.turq, P.rosa][i % 3]
    return (
      `<g transform="translate(${n(x + 5)} ${n(y + 5)}) rotate(${a + 90})"><rect x="-26" y="-22" width="52" height="46" rx="8" fill="${colour}"/></g>` +
      `<g transform="translate(${n(x)} ${n(y)}) rotate(${a + 90})" fill="none" stroke="${P.trazo}" stroke-width="6" stroke-linejoin="round" stroke-linecap="round"><rect x="-26" y="-22" width="52" height="46" rx="8"/><path d="M-30-30H30"/></g>` +
      `<g transform="translate(${n(sx)} ${n(sy)}) rotate(${a + 90})"><path d="M-24-14h48v26h-48Z" fill="${P.crema}" stroke="${P.tinta}" stroke-width="5" stroke-linejoin="round"/><path d="M0-14v26" stroke="${P.tinta}" stroke-width="4"/></g>`
    )
  })
  return rings(320, 240, [250, 150], [P.oro, P.alba]) + print(tamboraHead(P.coral), { x: 320, y: 240, s: 0.42, sw: 6 }) + seats.join('')
}

/** Three cups over a score. */
const coffee = () =>
  `<g transform="rotate(-8 320 300)"><path d="M70 250H590V500H70Z" fill="${P.crema}" transform="translate(7 7)"/><path d="M64 244H584V494H64Z" fill="none" stroke="${P.tinta}" stroke-width="7" stroke-linejoin="round"/><path d="M92 372H556M92 388H556M92 404H556M92 420H556M92 436H556" stroke="${P.tinta}" stroke-width="3.500"/>${looseQuarter(140, 428, 0.55, P.tinta)}${loosePair(210, 414, 0.55, P.tinta)}${looseEighth(330, 410, 0.55, P.rosa)}${looseQuarter(410, 418, 0.55, P.tinta)}${loosePair(470, 424, 0.55, P.tinta, -6)}</g>` +
  print(cup(P.coral), { x: 150, y: 180, s: 1.12, sw: 7 }) + print(cup(P.turq), { x: 326, y: 150, s: 1.12, sw: 7 }) + print(cup(P.sol), { x: 498, y: 186, s: 1.12, sw: 7 })

/** Hands that meet. */
const hands = () =>
  sun(320, 240, 120, P.miel, P.sol) +
  [
    [168, 150, 122, P.coral, P.mar],
    [474, 144, -122, P.turq, P.hoja],
    [160, 352, 62, P.rosa, P.sol],
    [482, 358, -62, P.sol, P.coral],
  ]
    .map(([x, y, r, skin, sleeve]) => print(hand(skin, sleeve), { x, y, s: 1.16, r, sw: 7, flip: r > 0 ? 1 : -1 }))
    .join('')

/** Instruments on the wall of the room. */
const wall = () =>
  `<path d="M-10 400H650V490H-10Z" fill="${P.hoja}"/><path d="M-10 96H650" stroke="${P.tinta}" stroke-width="8"/><path d="M-10 102H650" stroke="${P.sol}" stroke-width="8" transform="translate(0 5)"/><path d="M-10 400H650" stroke="${P.tinta}" stroke-width="6"/>` +
  [90, 210, 330, 452, 560].map((x) => `<path d="M${x} 96v22" stroke="${P.tinta}" stroke-width="7" stroke-linecap="round"/>`).join('') +
  print(violin(P.coral), { x: 90, y: 270, s: 0.58, sw: 6 }) +
  print(instrument('guitarra', P.sol), { x: 210, y: 240, s: 2.1, sw: 7 }) +
  print(guira(P.espuma), { x: 328, y: 220, s: 0.82, sw: 6.5 }) +
  print(instrument('saxofon', P.sol), { x: 452, y: 214, s: 2, sw: 7 }) +
  print(tamboraHead(P.rosa), { x: 562, y: 190, s: 0.68, sw: 6.5 }) +
  print(stand({ post: 200, desk: P.coral }), { x: 452, y: 372, s: 0.55, sw: 6 })

/** The directors' places until the foundation has their portraits, 480 × 480. */
export const directors = [
  [TINTS.sol, rostrum],
  [TINTS.mar, lesson],
  [TINTS.rosa, agenda],
].map(([ground, draw]) => ({ width: 480, height: 480, ground, draw }))

/** The team's life, 640 × 480. */
export const group = [
  [TINTS.sol, circle],
  [TINTS.mar, coffee],
  [TINTS.coral, hands],
  [TINTS.mar, wall],
].map(([ground, draw]) => ({ width: 640, height: 480, ground, draw }))
