import { GLYPHS, looseEighth, loosePair, looseQuarter, staff } from '../lib/music.mjs'
import { P, TINTS } from '../lib/palette.mjs'
import { band, foam, swell } from '../lib/path.mjs'
import { halftone, print, rings, sun } from '../lib/print.mjs'
import { timpani } from '../motifs/drums.mjs'
import { instrument } from '../motifs/instruments.mjs'
import { hand, stand } from '../motifs/room.mjs'
import { bow, violin } from '../motifs/strings.mjs'
import { trombone } from '../motifs/winds.mjs'
import { ROBES, voice } from './hero-3.mjs'

const frame = ([ground, draw]) => ({ width: 640, height: 480, ground, draw })
const floor = (y, fill) => `<path d="M-10 ${y}H650V490H-10Z" fill="${fill}"/><path d="M-10 ${y}H650" stroke="${P.tinta}" stroke-width="6"/>`

/** Staff paper, a pencil and a melody that begins. */
const composing = () => {
  const lines = [0, 14, 28, 42, 56].map((d) => `M120 ${150 + d}H520M120 ${280 + d}H520`).join('')
  return (
    `<circle cx="330" cy="240" r="226" fill="${P.miel}"/><g transform="rotate(-5 320 240)"><path d="M92 76H552V412H92Z" fill="${P.crema}"/><path d="M84 68H544V404H84Z" fill="none" stroke="${P.tinta}" stroke-width="7" stroke-linejoin="round"/><path d="${lines}" stroke="${P.tinta}" stroke-width="3.500"/>` +
    `<path transform="translate(128 192) scale(.72)" d="${GLYPHS.gClef}" fill="${P.tinta}"/><path transform="translate(128 322) scale(.72)" d="${GLYPHS.gClef}" fill="${P.tinta}"/>` +
    `${looseQuarter(214, 199, 0.56, P.tinta)}${loosePair(270, 192, 0.56, P.tinta)}${looseEighth(370, 185, 0.56, P.rosa)}${looseQuarter(430, 192, 0.56, P.tinta)}${looseQuarter(214, 315, 0.56, P.tinta)}${looseEighth(280, 329, 0.56, P.coral)}</g>` +
    `<g transform="translate(336 322) rotate(-48)"><path d="M6-6h26V18H6Z" fill="${P.arena}" transform="translate(2 4)"/><path d="M38-12H196V22H38Z" fill="${P.coral}"/><path d="M196-12h34v34h-34Z" fill="${P.rosa}"/><g fill="none" stroke="${P.tinta}" stroke-width="7" stroke-linejoin="round"><path d="M0 0L34-16H224V16H34Z"/><path d="M34-16V16M190-16V16M34 0H190" stroke-width="5"/><path d="M0 0l14-7v14Z" fill="${P.tinta}"/></g></g>`
  )
}

/** Violin, timpani and a cello. */
const orchestra = () =>
  sun(320, 210, 156) + halftone(320, 210, 156, { from: 0.1 }) + floor(380, P.mar) +
  print(violin(P.coral), { x: 150, y: 300, s: 0.86, r: -8, sw: 7 }) +
  print(timpani(P.sol), { x: 324, y: 318, s: 1, sw: 7 }) +
  print(violin(P.barro, { spike: true }), { x: 502, y: 300, s: 1.02, r: 6, sw: 7 }) +
  print(bow(), { ink: P.trazo, x: 250, y: 150, s: 0.8, r: -62, sw: 6.5 })

/** A blackboard with a staff, and a hand that teaches. */
const teaching = () => {
  const lines = [0, 22, 44, 66, 88].map((d) => `M110 ${150 + d}H540`).join('')
  return (
    `<path d="M64 64H592V372H64Z" fill="${P.hoja}"/><path d="M58 58H584V364H58Z" fill="none" stroke="${P.trazo}" stroke-width="12" stroke-linejoin="round"/><path d="${lines}" stroke="${P.crema}" stroke-width="4"/><path transform="translate(122 216) scale(.98)" d="${GLYPHS.gClef}" fill="${P.crema}"/>` +
    `${looseQuarter(240, 238, 0.86, P.crema)}${looseQuarter(310, 216, 0.86, P.crema)}${loosePair(384, 205, 0.86, P.sol, 11)}` +
    `<path d="M-10 420H650V490H-10Z" fill="${P.arena}"/><path d="M58 364v56M584 364v56" stroke="${P.trazo}" stroke-width="12"/><path d="M-10 420H650" stroke="${P.tinta}" stroke-width="6"/>` +
    print(hand(P.coral, P.mar), { x: 530, y: 344, s: 1.22, r: -22, sw: 8, flip: -1 })
  )
}

/** Strings of a chamber orchestra, in a row. */
const chamber = () =>
  rings(320, 210, [230, 160], [P.bruma, P.menta]) + floor(400, P.arena) +
  print(violin(P.sol), { x: 96, y: 316, s: 0.7, r: -5, sw: 6.5 }) +
  print(violin(P.coral), { x: 226, y: 312, s: 0.76, r: 3, sw: 6.5 }) +
  print(violin(P.rosa, { spike: true }), { x: 376, y: 292, s: 0.96, r: -3, sw: 6.5 }) +
  print(violin(P.barro, { spike: true }), { x: 540, y: 302, s: 0.98, r: 4, sw: 6.5 })

/** Brass and reed of a big band under the lights. */
const bigBand = () =>
  rings(320, 150, [330, 250, 170], [P.noche1, P.noche3, P.noche4]) + sun(330, 150, 104, P.miel, P.sol) + halftone(330, 150, 104, { from: 0.1, colour: P.sol }) +
  print(trombone(P.sol), { x: 320, y: 196, s: 1.12, r: -8, ink: P.crema, sw: 6.5 }) +
  print(instrument('saxofon', P.sol), { x: 150, y: 348, s: 2.5, r: -4, ink: P.crema, sw: 6.5, paper: P.tinta }) +
  print(instrument('trompeta', P.sol), { x: 452, y: 352, s: 2.5, r: -12, ink: P.crema, sw: 6.5 }) +
  `<path d="M-10 446H650V490H-10Z" fill="${P.coral}"/><path d="M-10 446H650" stroke="${P.crema}" stroke-width="6"/>`

/** Voices of a children's choir. */
const choir = () => {
  let rows = ''
  for (let row = 2; row >= 0; row--) {
    for (let i = -1; i < 5; i++) rows += voice(40 + i * 186 + (row % 2) * 93, 440 - row * 78, 98, ROBES[(i * 2 + row * 3 + 8) % 5], 0.13 + 0.055 * ((i + row + 3) % 3))
  }
  return sun(320, 96, 70) + looseEighth(120, 120, 0.7, P.trazo) + loosePair(452, 110, 0.7, P.trazo) + looseQuarter(226, 92, 0.6, P.rosa) + rows + band(swell(462, 7, 260, 1), -20, 660, 490, P.mar)
}

/** One side of the curtain, gathered by its sash; the other is its mirror. */
const fold = (flip) =>
  `<g transform="translate(${flip > 0 ? 0 : 640} 0) scale(${flip} 1)"><path d="M-10-10H206C196 130 150 250 60 330C100 380 110 430 104 490H-10Z" fill="${P.coral}"/><path d="M202-10C192 130 146 250 56 330C96 380 106 430 100 490M140-10C134 110 100 220 30 300M70-10C66 90 46 180-10 250M30 372C44 410 50 450 46 490" fill="none" stroke="${P.tinta}" stroke-width="6" stroke-linecap="round"/><path d="M24 318q34 22 66 16l-8 20q-34 4-66-18Z" fill="${P.sol}" stroke="${P.tinta}" stroke-width="5" stroke-linejoin="round"/></g>`

/** An open curtain and a stand in its light. */
const curtain = () => {
  return (
    `<path d="M320-40L470 430H170Z" fill="${P.alba}"/><path d="M-10 420H650V490H-10Z" fill="${P.mar}"/><ellipse cx="320" cy="428" rx="166" ry="26" fill="${P.miel}"/>` +
    print(stand({ post: 190, desk: P.turq }), { x: 320, y: 242, s: 0.96, sw: 7 }) + fold(1) + fold(-1) +
    `<path d="M-10-10H650V26Q607 66 564 30Q524 70 482 32Q442 72 401 32Q361 72 320 32Q279 72 239 32Q198 72 158 32Q116 70 76 30Q33 66-10 26Z" fill="${P.rosa}" stroke="${P.tinta}" stroke-width="6" stroke-linejoin="round"/>`
  )
}

/** The moon behind a trumpet. */
const moonTrumpet = () =>
  rings(400, 190, [330, 250, 180], [P.noche1, P.noche3, P.noche4]) + sun(400, 190, 130, P.miel, P.sol) + halftone(400, 190, 130, { from: 0.05, colour: P.sol }) +
  `<path d="M60 80h0M130 180h0M210 60h0M590 60h0M560 330h0M90 300h0M270 130h0" stroke="${P.sol}" stroke-width="8" stroke-linecap="round"/>` +
  print(instrument('trompeta', P.sol), { x: 270, y: 280, s: 4, r: -24, ink: P.crema, sw: 9 }) +
  looseEighth(500, 116, 0.8, P.crema) + loosePair(520, 250, 0.6, P.crema) +
  band(swell(430, 10, 300, 1), -20, 660, 490, P.mar) + foam(swell(446, 8, 280, 1), -20, 660, P.brisa) + band(swell(462, 7, 260, 3), -20, 660, 490, P.noche)

/** A palmchat: the national bird, streaked breast, on a line of the staff. */
const palmchat = (x, y, s, flip, colour) =>
  print(
    {
      fill: `<path d="M-58 40C-40-6-20-40 20-46C50-48 60-22 54-4C44 30 4 44-30 40L-92 72Z" fill="${colour}"/>`,
      line: '<path d="M-92 72L-58 40C-40-6-20-40 20-46C50-48 60-22 54-4C44 30 4 44-30 40Z"/><path d="M56-28l26 6-24 10"/><path d="M30-24h0"/><path thin d="M8-4l8 18M22-6l6 16M-8 2l8 18M36-8l3 10"/><path thin d="M-58 40C-40 30-26 14-24-6"/><path d="M0 40v20M16 36v24"/>',
    },
    { x, y, s, flip, sw: 6.5 },
  )

/** Palmchats that sing on a staff. */
const birds = () => {
  const score = staff(swell(270, 14, 700, 0.3), () => 44)
  return (
    sun(470, 130, 92) + score.lines(-20, 660, { width: 4.5 }) +
    palmchat(196, score.at(196, -4) - 52, 1, 1, P.sol) + palmchat(410, score.at(410, -2) - 52, 1, -1, P.crema) +
    score.eighth(44, 2, P.rosa) + score.quarter(268, 3) + score.beamed([[498, 2], [580, 0]]) +
    `<path d="M-10 480C120 404 260 420 380 446S560 470 650 430V490H-10Z" fill="${P.hoja}"/>`
  )
}

/** Programs, ensembles and concerts, 640 × 480. */
export const programs = [[TINTS.coral, composing], [TINTS.sol, orchestra], [TINTS.mar, teaching]].map(frame)
export const ensembles = [[TINTS.mar, chamber], [P.tinta, bigBand], [TINTS.sol, choir]].map(frame)
export const concerts = [[TINTS.sol, curtain], [P.tinta, moonTrumpet], [TINTS.mar, birds]].map(frame)
