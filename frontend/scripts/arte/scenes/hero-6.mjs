import { HALO, P } from '../lib/palette.mjs'
import { n } from '../lib/path.mjs'
import { staff } from '../lib/music.mjs'
import { halftone, print, rings, sun } from '../lib/print.mjs'
import { arcade, arcadeInk } from '../motifs/building.mjs'
import { palo, tambora } from '../motifs/drums.mjs'
import { frond } from '../motifs/palm.mjs'
import { stand } from '../motifs/room.mjs'

const UPPER = { x: 700, y: 486, count: 6, bay: 150, pier: 34, foot: 590, top: 384 }
const LOWER = { x: 700, y: 706, count: 6, bay: 150, pier: 34, foot: 812, top: 606 }

/** Merlons along the top of the wall. */
const merlons = () => {
  let d = ''
  for (let x = 690; x < 1620; x += 60) d += `M${x} 372v-30h34v30`
  return d
}

/** The stones of the square: courses that widen towards the lower edge. */
function square() {
  let d = ''
  for (let i = 0; i < 3; i++) {
    const y = 838 + i * 24
    d += `M-20 ${y}H1640`
    for (let x = -20 + (i % 2) * 60; x < 1640; x += 120) d += `M${x} ${y}l${n((x - 800) * 0.03)} 24`
  }
  return `<path d="M-20 812H1640V910H-20Z" fill="${P.arena}"/><path d="${d}" stroke="${P.tinta}" stroke-width="2.600" opacity=".5"/><path d="M-20 812H1640" stroke="${P.tinta}" stroke-width="7"/>`
}

/** A street lamp that also holds the cables. */
const lamp = (x, y) =>
  `<path d="M${x - 16} ${y + 4}h44l-8-48h-28Z" fill="${P.sol}"/><path d="M${x} 812V${y}M${x - 22} ${y}h44l-8-48h-28ZM${x - 22} ${y - 48}h44l-22-24ZM${x - 20} 812h40M${x - 12} 690h24" fill="none" stroke="${P.tinta}" stroke-width="7" stroke-linejoin="round" stroke-linecap="round"/>`

/** The middle line of the staff: up from the lamp, then along the roofs. */
const line = (x) => (x < 800 ? 252 + 350 * (Math.max(0, 800 - x) / 680) ** 1.7 : 252 - 20 * Math.sin(((x - 800) / 840) * Math.PI))

/** A wall with its arches open. */
const wall = (a) => arcade({ ...a, fill: P.crema })

/** The dark behind the arches. */
const back = (a) => `<path d="M${a.x + 10} ${a.top}h${a.bay * a.count}V${a.foot}H${a.x + 10}Z" fill="${P.mar}"/>`

/** Zona Colonial: cables strung between the arches are a staff, and notes perch on them like birds. */
export function draw() {
  const score = staff(line, () => 24)
  return [
    rings(930, 330, [760, 600, 450, 310], HALO),
    sun(930, 330, 190),
    halftone(930, 330, 190, { from: 0.05 }),
    `<path d="M-20 700C80 640 200 640 320 670S520 660 720 700V812H-20Z" fill="${P.espuma}"/>`,
    `<path d="M40 812V716h54v-40h60v40h90v96ZM300 812V740h120v72ZM470 812V700q46-60 92 0V812Z" fill="${P.turq}"/>`,
    back(UPPER) + back(LOWER),
    [0, 1, 2, 3, 4, 5].map((i) => `<path d="M${730 + i * 150} ${i % 2 ? 590 : 812}v-70a45 45 0 0 1 90 0v70Z" fill="${[P.sol, P.coral, P.rosa][i % 3]}"/>`).join(''),
    `<g transform="translate(6 6)"><path d="${merlons()}" fill="${P.crema}"/>${wall(UPPER)}${wall(LOWER)}<path d="M690 372H1640V384H690ZM690 590H1640V606H690Z" fill="${P.sol}"/></g>`,
    `<g fill="none" stroke="${P.tinta}" stroke-width="6" stroke-linecap="round" stroke-linejoin="round"><path d="${arcadeInk(UPPER)}${arcadeInk(LOWER)}"/><path d="M690 372H1640M690 384H1640M690 590H1640M690 606H1640M694 372V812"/><path d="${merlons()}"/></g>`,
    score.lines(120, 1640, { width: 4 }),
    score.clef(258),
    score.quarter(378, 2) + score.beamed([[462, 1], [545, -1]]) + score.eighth(636, 0, P.rosa),
    score.beamed([[790, 2], [875, 1], [960, 3]]) + score.quarter(1050, 1) + score.eighth(1150, -1, P.rosa) + score.beamed([[1250, 2], [1330, 0]]),
    `<path d="M716 342V200M698 200h36" stroke="${P.tinta}" stroke-width="7" stroke-linecap="round"/>`,
    lamp(120, 530),
    square(),
    print(stand({ post: 190, desk: P.turq }), { x: 1010, y: 690, s: 0.86, sw: 7.5 }),
    print(palo(P.coral), { x: 830, y: 752, s: 0.78, sw: 7.5 }),
    print(palo(P.hoja, P.crema, P.rosa), { x: 740, y: 786, s: 0.62, sw: 7.5 }),
    print(tambora(P.rosa), { x: 1220, y: 790, s: 0.8, r: 3, sw: 7.5 }),
    frond(1640, -10, 158, 250, P.hoja) + frond(1650, 0, 128, 260, P.monte) + frond(1640, 20, 96, 230, P.selva),
  ].join('')
}
