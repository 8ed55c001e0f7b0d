import { looseEighth, loosePair, looseQuarter } from '../lib/music.mjs'
import { P, TINTS } from '../lib/palette.mjs'
import { band, foam, swell } from '../lib/path.mjs'
import { halftone, print, rings, sun } from '../lib/print.mjs'
import { guira, maracas, palo, raspa, snare, tambora } from '../motifs/drums.mjs'
import { instrument } from '../motifs/instruments.mjs'
import { keys, stand } from '../motifs/room.mjs'
import { bow, violin } from '../motifs/strings.mjs'
import { accordion, conch, trombone } from '../motifs/winds.mjs'

const floor = (fill) => `<path d="M-10 330H650V410H-10Z" fill="${fill}"/><path d="M-10 330H650" stroke="${P.tinta}" stroke-width="6"/>`
const waves = (y) => band(swell(y, 9, 300, 1), -20, 660, 410, P.turq) + foam(swell(y + 16, 8, 280, 1), -20, 660, P.cresta) + band(swell(y + 32, 8, 260, 3), -20, 660, 410, P.mar)

const merengue = () =>
  sun(330, 190, 140, P.miel, P.sol) + floor(P.mar) + print(tambora(), { x: 226, y: 262, s: 1.12, sw: 7 }) + print(guira(P.espuma), { x: 440, y: 226, s: 1.02, r: 6, sw: 7 }) + print(raspa(P.sol), { x: 540, y: 262, s: 0.95, r: 24, sw: 7 })

const serenade = () =>
  sun(170, 130, 78) + print(instrument('guitarra', P.coral), { ink: P.trazo, x: 340, y: 232, s: 3.3, r: 24, sw: 8 }) + looseEighth(132, 290, 0.8, P.trazo) + loosePair(496, 250, 0.7, P.rosa) + waves(326)

const squeeze = () => rings(320, 200, [210, 150], [P.petalo, P.flor]) + floor(P.hoja) + print(accordion(P.coral, P.crema, P.sol), { x: 320, y: 232, s: 1.36, sw: 8 }) + looseEighth(64, 220, 0.7, P.trazo)

const shell = () => sun(500, 130, 84) + waves(262) + print(conch(P.crema, P.rosa), { x: 290, y: 230, s: 1.5, r: -8, sw: 8 }) + looseEighth(150, 140, 0.8, P.trazo)

const night = () =>
  rings(250, 160, [330, 240, 160], [P.noche1, P.noche3, P.noche4]) + sun(250, 160, 100, P.miel, P.sol) + halftone(250, 160, 100, { from: 0.1, colour: P.sol }) +
  `<path d="M60 70h0M110 250h0M470 60h0M590 150h0M560 320h0M400 110h0" stroke="${P.sol}" stroke-width="8" stroke-linecap="round"/>` +
  print(instrument('saxofon', P.sol), { x: 360, y: 220, s: 3.2, r: 4, ink: P.crema, sw: 8, paper: P.tinta }) + loosePair(480, 190, 0.7, P.rosa) + band(swell(366, 8, 300, 1), -20, 660, 410, P.mar)

const voice = () =>
  rings(350, 180, [230, 170, 110], [P.bruma, P.menta, P.agua]) + print(instrument('canto', P.rosa), { x: 340, y: 250, s: 3.5, r: 26, sw: 8 }) + looseEighth(170, 210, 0.9, P.trazo) + looseQuarter(110, 130, 0.7, P.coral) + loosePair(500, 250, 0.66, P.trazo)

const recital = () => {
  const { white, black } = keys(9, 76, 170)
  return (
    sun(320, 236, 150) + halftone(320, 236, 150, { from: -0.6 }) + print(violin(P.sol), { ink: P.trazo, x: 150, y: 216, s: 0.66, r: -14, sw: 7 }) + print(bow(), { ink: P.trazo, x: 506, y: 136, s: 0.9, r: -40, sw: 7 }) +
    `<g transform="translate(-20 258)"><path d="${white}" fill="${P.crema}"/><path d="${white}" fill="none" stroke="${P.tinta}" stroke-width="6"/><path d="M0-3h690" stroke="${P.tinta}" stroke-width="10"/><path d="${black}" fill="${P.tinta}"/></g>`
  )
}

const brotherhood = () =>
  sun(320, 180, 130, P.miel, P.sol) + floor(P.hoja) + print(palo(P.coral), { x: 250, y: 212, s: 0.98, sw: 7 }) + print(palo(P.mar, P.crema, P.rosa), { x: 372, y: 240, s: 0.78, sw: 7 }) + print(maracas(P.rosa, P.sol), { ink: P.trazo, x: 508, y: 290, s: 0.72, r: 12, sw: 7 }) + print(snare(P.turq), { x: 112, y: 292, s: 0.78, sw: 7 })

const brass = () =>
  sun(420, 150, 110) + halftone(420, 150, 110, { from: 0.1 }) + floor(P.rosa) + print(trombone(P.sol), { ink: P.trazo, x: 370, y: 118, s: 1, r: -12, sw: 7 }) + print(instrument('trompeta', P.coral), { ink: P.trazo, x: 250, y: 290, s: 2.3, r: -8, sw: 7 }) + looseEighth(96, 170, 0.8, P.trazo)

const breath = () =>
  rings(320, 190, [220, 150], [P.alba, P.oro]) + print(instrument('flauta', P.turq), { x: 310, y: 196, s: 3.7, r: 8, sw: 8 }) + loosePair(470, 300, 0.8, P.rosa) + looseEighth(120, 150, 0.8, P.trazo) + waves(336)

const rehearsal = () =>
  sun(320, 200, 140, P.miel, P.sol) + floor(P.mar) + print(stand({ post: 190, desk: P.turq }), { ink: P.trazo, x: 200, y: 150, s: 0.94, sw: 7 }) + print(stand({ post: 190, desk: P.coral }), { ink: P.trazo, x: 430, y: 150, s: 0.94, sw: 7 }) + loosePair(290, 70, 0.6, P.rosa) + looseEighth(560, 150, 0.7, P.trazo)

/** The pictures of events without one of their own, 640 × 400; src/art/event-art.ts lists what each shows. */
export const events = [
  [TINTS.coral, merengue],
  [TINTS.sol, serenade],
  [TINTS.rosa, squeeze],
  [TINTS.sol, shell],
  [P.tinta, night],
  [TINTS.mar, voice],
  [TINTS.coral, recital],
  [TINTS.mar, brotherhood],
  [TINTS.mar, brass],
  [TINTS.coral, breath],
  [TINTS.sol, rehearsal],
].map(([ground, draw]) => ({ width: 640, height: 400, ground, draw }))

const emptyStage = () =>
  `<path d="M60 250a140 140 0 0 1 280 0Z" fill="${P.miel}"/><path d="M30 250H370" stroke="${P.trazo}" stroke-width="6" stroke-linecap="round"/>` + print(stand({ post: 190, desk: P.turq }), { ink: P.trazo, x: 200, y: 116, s: 0.8, sw: 6 })

const emptyList = () =>
  `<path d="M70 96H330M70 122H330M70 148H330M70 174H330M70 200H330" stroke="${P.trazo}" stroke-width="4" stroke-linecap="round"/><path d="M176 122h48v14h-48Z" fill="${P.coral}" transform="translate(4 4)"/><path d="M176 122h48v14h-48Z" fill="none" stroke="${P.trazo}" stroke-width="5" stroke-linejoin="round"/><path d="M70 92v112M330 92v112M318 92v112" stroke="${P.trazo}" stroke-width="5" stroke-linecap="round"/>`

const emptyMail = () =>
  print(
    {
      fill: `<path d="M-110-70H110V74H-110Z" fill="${P.sol}"/>`,
      line: '<path d="M-110-70H110V74H-110Z"/><path d="M-110-66L0 18 110-66M-110 70L-34-8M110 70L34-8"/>',
    },
    { x: 200, y: 164, sw: 6 },
  ) + looseEighth(310, 92, 0.6, P.rosa)

const emptySearch = () =>
  `<path d="M50 110H350M50 132H350M50 154H350M50 176H350M50 198H350" stroke="${P.trazo}" stroke-width="3.500" stroke-linecap="round" opacity=".55"/>` +
  print({ fill: `<circle r="62" fill="${TINTS.rosa}"/><path d="M44 44l62 62" stroke="${P.rosa}" stroke-width="18" stroke-linecap="round"/>`, line: `<circle r="62"/><path d="M46 46L104 104" stroke-width="14"/><path thin d="M-38-14A40 40 0 0 1-10-40"/>` }, { ink: P.trazo, x: 186, y: 140, sw: 7 })

/** The pictures of empty lists, 400 × 300, by the kind of list. */
export const empty = { eventos: emptyStage, registros: emptyList, mensajes: emptyMail, busqueda: emptySearch }

/** A paper boat folded from a score, adrift: the page that does not exist. */
export const lost = () =>
  rings(400, 250, [330, 250, 180], [P.alba, P.oro, P.miel]) + sun(400, 250, 120) + halftone(400, 250, 120, { from: 0.1 }) +
  looseEighth(180, 200, 0.9, P.trazo) + looseQuarter(640, 220, 0.8, P.rosa) +
  band(swell(404, 12, 420, 0.2), -20, 840, 620, P.turq) + foam(swell(428, 12, 420, 0.2), -20, 840, P.cresta) +
  print(
    {
      fill: `<path d="M-170-10L-60-20 0-120 60-20 170-10 110 80H-110Z" fill="${P.crema}"/><path d="M-60-20L0-120 60-20 0 40Z" fill="${TINTS.mar}"/>`,
      line: '<path d="M-170-10L-110 80H110L170-10 60-20 0 40-60-20Z"/><path d="M-60-20L0-120 60-20M0-120V40"/><path thin d="M-126 26q70 14 126 14t126-14M-112 48q60 12 112 12t112-12"/><path thin d="M-70 30v-26M-76 34h0M56 30V6M50 34h0"/>',
    },
    { x: 400, y: 400, s: 1.25, r: -5, sw: 8 },
  ) +
  band(swell(476, 14, 380, 2), -20, 840, 620, P.mar) + foam(swell(500, 13, 380, 2), -20, 840, P.brisa) + band(swell(546, 11, 340, 4), -20, 840, 620, P.tinta)
