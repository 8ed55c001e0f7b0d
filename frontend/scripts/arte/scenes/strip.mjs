import { GLYPHS, looseEighth, loosePair, looseQuarter, staff } from '../lib/music.mjs'
import { P, TINTS } from '../lib/palette.mjs'
import { band, foam, n, polar, swell } from '../lib/path.mjs'
import { halftone, print, rings, sun } from '../lib/print.mjs'
import { tambora, tamboraHead } from '../motifs/drums.mjs'
import { baton, hand, keys, metronome, shoe, stand } from '../motifs/room.mjs'
import { conch } from '../motifs/winds.mjs'

const W = 640
const table = (y, fill) => `<path d="M-10 ${y}H650V490H-10Z" fill="${fill}"/><path d="M-10 ${y}H650" stroke="${P.tinta}" stroke-width="6"/>`

/** A metronome on a table; its swing leaves arcs. */
const tempo = () =>
  `<g fill="none" stroke="${P.sol}" stroke-width="7" stroke-linecap="round"><path d="M120 190A240 240 0 0 1 200 96M520 190A240 240 0 0 0 440 96M76 210A290 290 0 0 1 118 128M564 210A290 290 0 0 0 522 128"/></g>` +
  table(400, P.turq) +
  print(metronome(), { x: 320, y: 244, s: 1.36, sw: 7 })

/** A treble clef among waves. */
const clefSea = () => {
  const score = staff(swell(232, 22, 520, 0.5), () => 40)
  return (
    sun(466, 150, 82) +
    score.lines(-20, 660, { width: 4 }) +
    score.clef(200) +
    score.quarter(360, 2) +
    score.eighth(452, 0, P.crema) +
    score.quarter(576, 2, P.rosa) +
    band(swell(382, 12, 260, 0.4), -20, 660, 490, P.turq) +
    foam(swell(400, 12, 260, 0.4), -20, 660, P.cresta) +
    band(swell(424, 12, 300, 2.2), -20, 660, 490, P.mar) +
    band(swell(456, 8, 240, 4), -20, 660, 490, P.tinta)
  )
}

/** A keyboard from above, its sharps in ink. */
const keyboard = () => {
  const { white, black } = keys(8, 92, 330)
  return `<g transform="rotate(-9 320 240) translate(-48 86)"><path d="M-20-60h776v60H-20Z" fill="${P.coral}"/><path d="${white}" fill="${P.crema}"/><path transform="translate(6 6)" d="M276 0h92v330h-92Z" fill="${P.sol}"/><path d="${white}" fill="none" stroke="${P.tinta}" stroke-width="6"/><path d="M-20-4h776" stroke="${P.tinta}" stroke-width="9"/><path d="${black}" fill="${P.tinta}"/></g>${looseEighth(420, 62, 0.5, P.crema)}`
}

/** A baton and the curve of a bar of three. */
const conducting = () =>
  rings(300, 250, [230, 170, 110], [P.petalo, TINTS.rosa, P.petalo]) +
  `<path d="M330 92C318 210 300 296 262 330C232 356 250 392 300 376S470 330 486 300S420 260 388 220S346 130 334 92" fill="none" stroke="${P.rosa}" stroke-width="7" stroke-linecap="round" stroke-dasharray="2 18"/>` +
  print(baton(P.coral), { ink: P.trazo, x: 262, y: 290, s: 1.7, sw: 8 }) +
  looseQuarter(520, 180, 0.8, P.trazo)

/** School shoes under a stand. */
const firstDay = () =>
  table(396, P.arena) +
  `<path d="M120 396a200 200 0 0 1 400 0Z" fill="${P.miel}"/><path d="M-10 396H650" stroke="${P.tinta}" stroke-width="6"/>` +
  print(stand({ post: 270, desk: P.turq }), { x: 320, y: 134, s: 1.02, sw: 7 }) +
  print(shoe(P.coral), { x: 226, y: 404, s: 0.95, sw: 7 }) +
  print(shoe(P.coral), { x: 430, y: 420, s: 0.95, sw: 7 })

/** Hands on a tambora. */
const playing = () =>
  rings(330, 260, [260, 200], [P.durazno, P.salmon]) +
  print(tambora(P.coral), { x: 330, y: 282, s: 1.72, sw: 8 }) +
  print(hand(P.sol, P.mar), { x: 116, y: 330, s: 0.98, r: 62, sw: 7 }) +
  print(hand(P.sol, P.mar), { x: 552, y: 300, s: 0.98, r: -66, sw: 7, flip: -1 }) +
  `<path d="M330 66v-36M392 78l16-32M268 78l-16-32" stroke="${P.tinta}" stroke-width="7" stroke-linecap="round"/>`

/** The paper of one page; the other is its mirror. */
const side = (flip) =>
  `<g transform="translate(320 0) scale(${flip} 1)"><path d="M8 164C70 130 170 130 270 160V404C170 374 70 374 8 408Z" fill="${P.crema}"/></g>`

/** The border and staves of one page. */
const ink = (flip) =>
  `<g transform="translate(320 0) scale(${flip} 1)"><path d="M0 160C62 124 164 124 264 154V398C164 368 62 368 0 404Z"/><path d="M28 196c60-22 130-24 206-6M28 210c60-22 130-24 206-6M28 224c60-22 130-24 206-6M28 290c60-22 130-24 206-6M28 304c60-22 130-24 206-6M28 318c60-22 130-24 206-6" stroke-width="3"/></g>`

/** An open score with notes above it. */
const openScore = () => {
  return (
    `<path d="M-10 330H650V490H-10Z" fill="${P.turq}"/><path d="M66 432h508v-20H66Z" fill="${P.mar}"/>` +
    side(1) + side(-1) +
    `<g fill="none" stroke="${P.tinta}" stroke-width="7" stroke-linejoin="round">${ink(1)}${ink(-1)}<path d="M0 0"/></g><path d="M52 408v22h536v-22" fill="none" stroke="${P.tinta}" stroke-width="7" stroke-linejoin="round"/>` +
    looseEighth(120, 210, 0.42, P.tinta) + looseQuarter(190, 208, 0.42, P.tinta) + loosePair(376, 206, 0.42, P.tinta, -2) + looseQuarter(480, 304, 0.42, P.tinta) + looseEighth(150, 306, 0.42, P.rosa) +
    looseEighth(300, 118, 0.66, P.rosa) + loosePair(400, 92, 0.62, P.trazo) + looseQuarter(232, 80, 0.5, P.coral)
  )
}

/** A sun that is also the head of a drum. */
const sunDrum = () => {
  const beams = [...Array(16).keys()].map((i) => {
    const [x0, y0] = polar(320, 240, 150, i * 22.5)
    const [x1, y1] = polar(320, 240, i % 2 ? 186 : 214, i * 22.5)
    return `M${n(x0)} ${n(y0)}L${n(x1)} ${n(y1)}`
  })
  return (
    `<path transform="translate(6 6)" d="${beams.join('')}" stroke="${P.sol}" stroke-width="16" stroke-linecap="round"/><path d="${beams.join('')}" stroke="${P.tinta}" stroke-width="7" stroke-linecap="round"/>` +
    print(tamboraHead(P.coral, P.sol), { x: 320, y: 240, s: 1.22, sw: 8 }) +
    halftone(320, 240, 88, { from: 0.1, step: 14, colour: P.coral })
  )
}

/** A conch on the sand, sounding. */
const shellSound = () =>
  `<path d="M-10 190H650V330H-10Z" fill="${P.turq}"/>${foam(swell(220, 7, 240, 0), -20, 660, P.cresta)}${foam(swell(258, 7, 260, 2), -20, 660, P.cresta)}` +
  band(swell(316, 16, 560, 1), -20, 660, 490, P.arena) +
  `<path d="M560 236a90 90 0 0 1 0 130M596 206a136 136 0 0 1 0 190" fill="none" stroke="${P.rosa}" stroke-width="8" stroke-linecap="round"/>` +
  print(conch(P.crema, P.rosa), { x: 320, y: 300, s: 1.85, r: -6, sw: 8 }) +
  looseEighth(508, 170, 0.8, P.trazo)

/** A ticket to a concert. */
const ticket = () => {
  const shape = 'M-210-96H210V-24a24 24 0 0 0 0 48V96H-210V24a24 24 0 0 0 0-48Z'
  return (
    `<circle cx="320" cy="240" r="212" fill="${P.miel}"/><g transform="translate(328 248) rotate(-10)"><path d="${shape}" fill="${P.crema}"/><path d="M84-96H210V-24a24 24 0 0 0 0 48V96H84Z" fill="${P.coral}"/></g>` +
    `<g transform="translate(320 240) rotate(-10)" fill="none" stroke="${P.tinta}" stroke-width="7" stroke-linejoin="round" stroke-linecap="round"><path d="${shape}"/><path d="M84-84V84" stroke-dasharray="2 17"/><path d="M-172 40h120M-172 64h70" stroke-width="5"/><path d="M-172-54h210M-172-40h210M-172-26h210M-172-12h210M-172 2h210" stroke-width="3"/><path transform="translate(110 22) scale(.9)" d="${GLYPHS.gClef}" fill="${P.crema}" stroke="none"/>` +
    `${looseQuarter(-130, -12, 0.42, P.tinta)}${loosePair(-74, -20, 0.42, P.tinta)}${looseEighth(6, -12, 0.42, P.rosa)}</g>`
  )
}

/** The ten pictures of «Nuestra Inspiración», 640 × 480: ground and drawing. */
export const strip = [
  [TINTS.coral, tempo],
  [TINTS.sol, clefSea],
  [P.mar, keyboard],
  [TINTS.rosa, conducting],
  [TINTS.sol, firstDay],
  [TINTS.coral, playing],
  [TINTS.mar, openScore],
  [TINTS.mar, sunDrum],
  [TINTS.sol, shellSound],
  [TINTS.rosa, ticket],
].map(([ground, draw]) => ({ width: W, height: 480, ground, draw }))
