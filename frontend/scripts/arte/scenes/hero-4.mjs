import { HALO, P } from '../lib/palette.mjs'
import { band, foam, n, swell } from '../lib/path.mjs'
import { looseEighth, loosePair, looseQuarter } from '../lib/music.mjs'
import { halftone, print, rings, sun } from '../lib/print.mjs'
import { balustrade, fretwork } from '../motifs/building.mjs'
import { guira, raspa, tambora } from '../motifs/drums.mjs'
import { frond } from '../motifs/palm.mjs'
import { accordion } from '../motifs/winds.mjs'

const POSTS = [648, 1010, 1372]

/** Floor boards seen from the front, drawn together towards the sea. */
function floor() {
  let d = ''
  for (let i = -5; i <= 9; i++) d += `M${n(1000 + i * 78)} 742L${n(1000 + i * 128)} 910`
  return `<path d="M600 742H1700V910H362L600 742Z" fill="${P.arena}"/><path d="${d}" stroke="${P.tinta}" stroke-width="3" opacity=".55"/><path d="M596 742H1700" stroke="${P.tinta}" stroke-width="7"/>`
}

/** The corrugated roof and the beam it rests on. */
function roof() {
  let d = ''
  for (let x = 640; x < 1640; x += 44) d += `M${x} 78L${n(1000 + (x - 1000) * 0.94)} -10`
  return (
    `<path d="M596 88L660-10H1700V88Z" fill="${P.coral}"/><path d="${d}" stroke="${P.tinta}" stroke-width="3.500"/><path d="M588 80H1700M588 80L652-14" stroke="${P.tinta}" stroke-width="8" stroke-linecap="round"/>` +
    `<path d="M624 92H1700v26H624Z" fill="${P.crema}"/><path d="M620 88H1700M620 116H1700M620 88v28" stroke="${P.tinta}" stroke-width="6" fill="none"/>`
  )
}

/** The wall of the house, with its louvred door. */
function wall() {
  let louvres = ''
  for (let y = 330; y < 700; y += 22) louvres += `M1468 ${y}h66M1552 ${y}h70`
  return (
    `<path d="M1404 118H1700V742H1404Z" fill="${P.turq}"/><path d="M1452 300H1700V742H1452Z" fill="${P.sol}"/>` +
    `<path d="M1404 742V118M1446 742V292H1700M1543 292V742M1446 250a96 60 0 0 1 192 0M1446 250H1700M1542 190v60M1476 204l66 46M1608 204l-66 46" fill="none" stroke="${P.tinta}" stroke-width="6"/><path d="${louvres}" stroke="${P.tinta}" stroke-width="3.500"/>`
  )
}

const post = (x) =>
  `<path d="M${x - 10} 122h34V742h-34Z" fill="${P.crema}"/><path d="M${x - 16} 118h32V742h-32ZM${x - 22} 196h44M${x - 22} 520h44" fill="none" stroke="${P.tinta}" stroke-width="6" stroke-linejoin="round"/>`

/** A bracket of fretwork between a post and the beam. */
const bracket = (x, flip) =>
  `<g transform="translate(${x} 116) scale(${flip} 1)"><path d="M22 6H112C72 16 34 44 26 100Z" fill="${P.crema}"/><path d="M16 2H110C68 14 30 42 16 100M16 60C40 52 52 36 54 6" fill="none" stroke="${P.tinta}" stroke-width="5" stroke-linecap="round"/></g>`

/** A stool of turned legs under an instrument. */
const stool = (x, y, w) =>
  `<path d="M${x - w + 6} ${y + 6}h${2 * w}v18h-${2 * w}Z" fill="${P.hoja}"/><path d="M${x - w} ${y}h${2 * w}v18h-${2 * w}ZM${x - w + 20} ${y + 18}l-16 104M${x + w - 20} ${y + 18}l16 104M${x - w + 12} ${y + 70}h${2 * w - 24}" fill="none" stroke="${P.tinta}" stroke-width="7" stroke-linecap="round" stroke-linejoin="round"/>`

/** The porch is wider than the usual upright crop. */
export const upright = [690, 0, 675, 900]

/** Tambora, güira and accordion on the porch of a house by the sea. */
export function draw() {
  const rail = balustrade(664, 1356, 566, 742, 49)
  const lace = fretwork(664, 1356, 118, 57.7)
  return [
    rings(1010, 400, [740, 580, 430, 300], HALO),
    sun(1010, 400, 190),
    halftone(1010, 400, 190, { from: 0.05 }),
    `<path d="M-20 566C80 500 180 480 280 510S470 520 600 566V600H-20Z" fill="${P.espuma}"/>`,
    looseEighth(756, 340, 0.8, P.tinta) + looseQuarter(890, 400, 0.85, P.crema) + loosePair(1080, 430, 0.8, P.crema) + looseEighth(1246, 350, 0.8, P.rosa),
    band(swell(562, 5, 300, 1), -20, 1640, 910, P.turq),
    foam(swell(584, 6, 340, 1), -20, 1640, P.cresta),
    band(swell(612, 8, 380, 2.4), -20, 1640, 910, P.ola),
    foam(swell(640, 8, 380, 2.4), -20, 1640, P.rizo),
    band(swell(680, 9, 420, 4), -20, 1640, 910, P.mar),
    foam(swell(704, 9, 420, 4), -20, 700, P.brisa),
    `<path d="M-20 800C140 740 300 752 420 790S560 830 640 830V910H-20Z" fill="${P.arena}"/><path d="M-20 850C120 812 320 826 460 856S600 880 640 880V910H-20Z" fill="${P.hoja}"/>`,
    wall(),
    `<g fill="${P.crema}" transform="translate(5 5)">${rail.fill}</g><g fill="none" stroke="${P.tinta}" stroke-width="4.500" stroke-linejoin="round">${rail.line}</g>`,
    floor(),
    `<g transform="translate(4 4)">${lace.fill}</g><g fill="none" stroke="${P.tinta}" stroke-width="4" stroke-linecap="round" stroke-linejoin="round">${lace.line}</g>`,
    POSTS.map(post).join(''),
    bracket(648, 1) + bracket(1010, -1) + bracket(1010, 1) + bracket(1372, -1),
    roof(),
    stool(836, 726, 104),
    print(tambora(P.coral), { x: 836, y: 648, s: 1.06, r: -3, sw: 8 }),
    print(guira(P.bruma), { x: 1034, y: 722, s: 1.02, r: 9, sw: 8 }),
    print(raspa(P.sol), { x: 1108, y: 850, s: 0.95, r: 68, sw: 7.5 }),
    stool(1218, 752, 120),
    print(accordion(P.rosa, P.crema, P.sol), { x: 1218, y: 664, s: 0.93, r: -2, sw: 8 }),
    frond(-30, 690, -52, 260, P.hoja) + frond(-40, 700, -20, 320, P.monte) + frond(-40, 720, 14, 250, P.hoja),
  ].join('')
}
