import { GLYPHS, looseEighth, loosePair, looseQuarter, staff } from '../lib/music.mjs'
import { P, TINTS } from '../lib/palette.mjs'
import { band, foam, n, swell } from '../lib/path.mjs'
import { halftone, print, rings, sun } from '../lib/print.mjs'
import { house } from '../motifs/building.mjs'
import { guira, maracas, palo, raspa, snare, tambora } from '../motifs/drums.mjs'
import { instrument } from '../motifs/instruments.mjs'
import { frond } from '../motifs/palm.mjs'
import { hibiscus } from '../motifs/people.mjs'
import { baton, clefKey, hand, keys, metronome, stand } from '../motifs/room.mjs'
import { bow, violin } from '../motifs/strings.mjs'
import { conch, trombone } from '../motifs/winds.mjs'
import { ROBES, voice } from './hero-3.mjs'

const [LEFT, RIGHT, FOOT] = [-20, 1000, 560]
/** Rings of light that fade into the ground, so that the picture has no frame of its own. */
const glow = (cx, cy) => rings(cx, cy, [300, 236, 172], [P.alba, P.trigo, P.oro])
const sea = (y, phase, fill, crest) => shore(
  band(swell(y, 9, 380, phase, 4, 150, phase), LEFT, RIGHT, FOOT, fill) + (crest ? foam(swell(y + 18, 8, 380, phase, 4, 150, phase), LEFT, RIGHT, crest) : ''),
)
/** Land and water end in a shore on the left, beside the page's title, instead of at the picture's edge. */
const shore = (body) => `<clipPath id="orilla"><path d="M40 560C70 490 120 452 210 424S380 372 470 330H1000V560Z"/></clipPath><g clip-path="url(#orilla)">${body}</g>`
/** Ground that rises from the left, beside the page's title. */
const hill = (from, to, fill) => shore(`<path d="M-20 ${from}C200 ${from - 10} 330 ${to + 30} 560 ${to}S860 ${to + 8} 1000 ${to - 10}V560H-20Z" fill="${fill}"/>`)
const stage = (y, fill) => `<path d="M${n(y * -0.6 + 500)} ${y}H1000V560H${n(y * -0.6 + 420)}Z" fill="${fill}"/><path d="M${n(y * -0.6 + 500)} ${y}H1000" stroke="${P.tinta}" stroke-width="7" stroke-linecap="round"/>`

/** /informacion: the school on a hill, with a staff above its roof. */
const school = () => {
  const score = staff((x) => 150 - 70 * Math.sin((x - 520) / 190), () => 20)
  return (
    glow(700, 250) + sun(700, 250, 120) + halftone(700, 250, 120, { from: 0.1 }) +
    score.lines(610, 1000, { width: 3.6, ink: P.trazo }) + score.quarter(700, 1, P.trazo) + score.beamed([[770, 1], [830, 0]], P.trazo) + score.eighth(900, 1, P.rosa) +
    hill(500, 416, P.espuma) + hill(530, 452, P.hoja) +
    print(house(P.turq, P.coral, P.sol), { x: 560, y: 360, s: 1.5, sw: 8 }) + print(house(P.sol, P.rosa, P.mar), { x: 800, y: 400, s: 1.05, sw: 7 }) +
    frond(380, 470, -62, 150, P.monte) + frond(380, 470, -112, 160, P.hoja, -1) + frond(384, 470, -90, 170, P.selva)
  )
}

/** /historia: three music stands in front of a rising sun. */
const threeStands = () =>
  glow(640, 300) + sun(640, 300, 168) + halftone(640, 300, 168, { from: 0 }) + stage(470, P.mar) +
  print(stand({ post: 236, desk: P.turq }), { ink: P.trazo, x: 440, y: 248, s: 1.02, sw: 7.4 }) +
  print(stand({ post: 236, desk: P.coral }), { ink: P.trazo, x: 650, y: 218, s: 1.14, sw: 7.8 }) +
  print(stand({ post: 236, desk: P.rosa }), { ink: P.trazo, x: 856, y: 248, s: 1.02, sw: 7.4 }) +
  looseEighth(320, 210, 0.8, P.trazo) + loosePair(528, 92, 0.7, P.rosa) + looseQuarter(930, 120, 0.8, P.trazo)

/** /impacto: bars that grow like a crescendo, each with its note. */
const crescendo = () => {
  const inks = [P.turq, P.coral, P.sol, P.rosa, P.mar]
  const bars = inks.map((ink, i) => {
    const [x, h] = [384 + i * 112, [92, 140, 204, 262, 330][i]]
    const y = 470 - h
    return `<path d="M${x + 8} ${y + 8}h76V478h-76Z" fill="${ink}"/><path d="M${x} ${y}h76V470h-76Z" fill="none" stroke="${P.tinta}" stroke-width="8" stroke-linejoin="round"/><path d="M${x + 18} ${y + 20}h40" stroke="${P.tinta}" stroke-width="5" stroke-linecap="round"/>`
  })
  return (
    glow(680, 250) + sun(680, 250, 150) + halftone(680, 250, 150, { from: 0 }) + stage(470, P.hoja) + bars.join('') +
    looseQuarter(394, 360, 0.62, P.trazo) + looseEighth(506, 312, 0.66, P.rosa) + looseQuarter(618, 248, 0.66, P.trazo) + loosePair(724, 188, 0.6, P.trazo)
  )
}

/** /equipo: many hands and one baton. */
const manyHands = () =>
  glow(660, 230) + sun(660, 230, 126, P.miel, P.sol) +
  print(hand(P.cobre, P.mar), { x: 392, y: 424, s: 1.35, r: -14, sw: 8 }) + print(hand(P.canela, P.coral), { x: 560, y: 398, s: 1.55, r: -4, sw: 8.4 }) +
  print(hand(P.caoba, P.hoja), { x: 748, y: 404, s: 1.5, r: 6, sw: 8.4 }) + print(hand(P.cobre, P.rosa), { x: 910, y: 430, s: 1.35, r: 16, sw: 8 }) +
  print(baton(P.coral), { ink: P.trazo, x: 640, y: 172, s: 1.3, r: -8, sw: 8 }) + loosePair(420, 150, 0.76, P.trazo) + looseEighth(880, 190, 0.8, P.rosa)

/** /voluntarios: folk drums without players. */
const drums = () =>
  glow(660, 270) + sun(660, 270, 150, P.miel, P.sol) + stage(452, P.hoja) +
  print(palo(P.coral), { x: 470, y: 290, s: 1.36, sw: 8 }) + print(tambora(P.turq), { x: 690, y: 392, s: 1.24, sw: 8 }) +
  print(guira(P.espuma), { x: 892, y: 316, s: 1.2, r: 10, sw: 7.6 }) + print(raspa(P.sol), { x: 806, y: 210, s: 1, r: -30, sw: 7 }) +
  print(snare(P.rosa), { x: 322, y: 418, s: 0.86, sw: 7.2 }) + looseEighth(590, 130, 0.84, P.trazo)

/** /programas: a keyboard as a road towards the sun. */
const road = () => {
  const { white, black } = keys(9, 92, 190)
  return (
    glow(700, 250) + sun(700, 250, 140) + halftone(700, 250, 140, { from: 0 }) + hill(420, 340, P.espuma) + sea(392, 0.4, P.turq, P.cresta) +
    `<g transform="translate(250 404) skewX(-24)"><path d="${white}" fill="${P.crema}"/><path d="${white}" fill="none" stroke="${P.tinta}" stroke-width="6" stroke-linejoin="round"/><path d="${black}" fill="${P.tinta}"/></g>` +
    print(metronome(P.coral, 18), { x: 836, y: 268, s: 1.1, sw: 7.6 }) + loosePair(440, 300, 0.8, P.trazo) + looseEighth(330, 220, 0.8, P.rosa)
  )
}

/** /ensambles: strings, brass and voices on one stage. */
const together = () => {
  let voices = ''
  for (let i = 0; i < 4; i++) voices += voice(700 + i * 108, 520, 74, ROBES[(i * 2) % 5], 0.14 + 0.05 * (i % 3))
  return (
    glow(610, 220) + sun(610, 220, 142) + halftone(610, 220, 142, { from: 0 }) + stage(470, P.marHondo) +
    print(violin(P.coral, { spike: true }), { x: 420, y: 320, s: 1.22, r: -7, sw: 7.8 }) + print(violin(P.sol), { x: 584, y: 356, s: 0.84, r: 6, sw: 7.2 }) +
    print(bow(), { ink: P.trazo, x: 500, y: 168, s: 0.92, r: -60, sw: 7 }) + print(trombone(P.sol), { ink: P.trazo, x: 780, y: 196, s: 1.24, r: -10, sw: 7.6 }) + voices + loosePair(880, 110, 0.66, P.trazo)
  )
}

/** /contacto: a conch over the water. */
const call = () =>
  rings(520, 250, [230, 178, 128], [P.petalo, P.flor, P.rosa]) + sun(860, 140, 78) +
  sea(372, 0.2, P.turq, P.cresta) + print(conch(P.crema, P.rosa), { x: 690, y: 290, s: 2.2, r: -10, sw: 9 }) + sea(430, 2, P.mar, P.brisa) + sea(486, 4, P.tinta) +
  looseEighth(360, 190, 0.86, P.trazo) + looseQuarter(440, 320, 0.72, P.trazo) + loosePair(300, 320, 0.66, P.coral)

/** /donar: a guitar passed between two pairs of hands. */
const giving = () =>
  glow(650, 240) + sun(650, 240, 146) + halftone(650, 240, 146, { from: 0 }) +
  print(instrument('guitarra', P.coral), { x: 640, y: 250, s: 3.5, r: 62, sw: 8.6 }) +
  print(hand(P.canela, P.mar), { x: 470, y: 440, s: 1.42, r: 12, sw: 8.4 }) + print(hand(P.caoba, P.rosa), { x: 850, y: 432, s: 1.42, r: -12, sw: 8.4, flip: -1 }) +
  looseEighth(380, 180, 0.84, P.trazo) + loosePair(820, 110, 0.74, P.rosa) + sea(500, 1, P.mar, P.brisa)

/** /donar/gracias: the same guitar among flowers, with notes. */
const thanks = () =>
  glow(680, 240) + sun(680, 240, 146, P.miel, P.sol) + halftone(680, 240, 146, { from: 0 }) + stage(470, P.hoja) +
  print(instrument('guitarra', P.turq), { x: 690, y: 312, s: 3.3, r: 10, sw: 8.6 }) + print(maracas(P.coral, P.sol), { ink: P.trazo, x: 868, y: 392, s: 1.1, r: 8, sw: 7.4 }) +
  hibiscus(486, 452, 50, P.rosa) + hibiscus(566, 484, 38, P.coral) + hibiscus(800, 486, 40, P.rosa) +
  loosePair(440, 190, 0.86, P.trazo) + looseEighth(560, 110, 0.8, P.rosa) + looseQuarter(860, 130, 0.8, P.trazo)

/** /privacidad: a key with a treble clef as its bow, and a padlock. */
const lock = () =>
  rings(660, 260, [240, 176], [P.bruma, P.menta]) + print(clefKey(GLYPHS.gClef, P.sol), { ink: P.trazo, x: 560, y: 270, s: 1.08, r: 24, sw: 8 }) +
  `<path d="M706 300h196v150H706Z" fill="${P.coral}" transform="translate(8 8)"/><g fill="none" stroke="${P.tinta}" stroke-width="8" stroke-linejoin="round"><path d="M706 300h196v150H706Z"/><path d="M746 300v-44a58 58 0 0 1 116 0v44" stroke="${P.trazo}"/><path d="M804 366v34" stroke-linecap="round"/></g><circle cx="804" cy="360" r="14" fill="${P.tinta}"/>` +
  stage(470, P.mar) + looseEighth(420, 200, 0.7, P.trazo)

/** The picture at the head of each inner page, 960 × 640, its left part and its upper part calm. */
export const headers = {
  informacion: school,
  historia: threeStands,
  impacto: crescendo,
  equipo: manyHands,
  voluntarios: drums,
  programas: road,
  ensambles: together,
  contacto: call,
  donar: giving,
  gracias: thanks,
  privacidad: lock,
}

/** The frame of a header: on a phone the calm part above holds the whole halo. */
export const HEADER = { width: 960, height: 640, viewBox: [0, -120, 960, 640], ground: TINTS.sol }
