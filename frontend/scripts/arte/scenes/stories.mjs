import { GLYPHS, looseEighth, loosePair, looseQuarter } from '../lib/music.mjs'
import { P, TINTS } from '../lib/palette.mjs'
import { band, foam, n, swell } from '../lib/path.mjs'
import { halftone, print, rings, sun } from '../lib/print.mjs'
import { hibiscus } from '../motifs/people.mjs'
import { hand } from '../motifs/room.mjs'

/** A hand that offers a note. */
const offering = () =>
  sun(240, 196, 140, P.miel, P.sol) + halftone(240, 196, 140, { from: 0.1, colour: P.sol }) +
  print(hand(P.coral, P.mar), { x: 190, y: 350, s: 1.5, r: -12, sw: 8 }) + looseEighth(300, 190, 1.5, P.tinta) + looseQuarter(110, 120, 0.6, P.rosa)

/** A clock: the time that a volunteer gives. */
const hours = () => {
  const marks = [...Array(12).keys()].map((i) => `<path transform="rotate(${i * 30})" d="M0-132v${i % 3 ? 12 : 26}"/>`).join('')
  return (
    `<circle cx="249" cy="249" r="170" fill="${P.turq}"/><circle cx="249" cy="249" r="146" fill="${P.crema}"/><g transform="translate(240 240)" fill="none" stroke="${P.tinta}" stroke-width="8" stroke-linecap="round"><circle r="170"/><circle r="146" stroke-width="5"/>${marks}<path d="M0 0 78-44" stroke-width="11"/></g>` +
    `<g transform="translate(240 240)"><path d="M-4 4V-112h8V4Z" fill="${P.tinta}"/><path transform="translate(2 -112) scale(.9)" d="${GLYPHS.flag8}" fill="${P.tinta}"/><circle r="15" fill="${P.coral}" stroke="${P.tinta}" stroke-width="7"/></g>` +
    hibiscus(400, 392, 44) + `<path d="M330 430q-26 24-62 16 22-32 62-16Z" fill="${P.hoja}" stroke="${P.tinta}" stroke-width="5" stroke-linejoin="round"/>`
  )
}

/** Left and right border and height of the road, from the horizon (0) to the lower edge (1). */
const edge = (t) => [320 - 12 - 330 * t ** 1.6, 320 + 12 + 330 * t ** 1.6, 232 + 268 * t]

/** A road of piano keys that climbs towards the sun. */
const keyRoad = () => {
  let white = ''
  let black = ''
  for (let i = 0; i < 9; i++) {
    const [l0, r0, y0] = edge((i / 9) ** 1.5)
    const [l1, r1, y1] = edge(((i + 1) / 9) ** 1.5)
    white += `M${n(l0)} ${n(y0)}H${n(r0)}L${n(r1)} ${n(y1)}H${n(l1)}Z`
    if (![2, 6].includes(i)) {
      const h = (y1 - y0) * 0.28
      black += `M${n(l1)} ${n(y1 - h)}H${n(l1 + (r1 - l1) * 0.56)}V${n(y1 + h)}H${n(l1)}Z`
    }
  }
  return (
    rings(320, 190, [300, 220, 150], [P.trigo, P.oro, P.miel]) + sun(320, 180, 104) + halftone(320, 180, 104, { from: 0.05 }) +
    `<path d="M-10 300C60 240 150 230 220 250S380 262 440 244 580 236 650 290V490H-10Z" fill="${P.espuma}"/><path d="M-10 350C100 290 210 280 300 270S520 290 650 350V490H-10Z" fill="${P.hoja}"/>` +
    `<path d="${white}" fill="${P.crema}" transform="translate(5 4)"/><path d="${white}" fill="none" stroke="${P.tinta}" stroke-width="5" stroke-linejoin="round"/><path d="${black}" fill="${P.tinta}"/>` +
    looseEighth(150, 150, 0.7, P.tinta) + loosePair(460, 130, 0.66, P.tinta)
  )
}

/** A coast of paper: Santo Domingo Este, its river and its streets. */
const map = () => {
  const streets = 'M508 60L1180 150M512 176L1190 268M520 300L1190 380M640 20V470M780 20L800 470M930 10L960 460M1080 10L1110 450M540 60L700 470'
  return (
    band(swell(478, 10, 520, 0.4), -20, 1240, 620, P.turq) + foam(swell(508, 9, 420, 0.4), -20, 1240, P.cresta) + band(swell(540, 8, 460, 2), -20, 1240, 620, P.mar) + foam(swell(566, 8, 400, 1), -20, 1240, P.brisa) +
    `<path d="M360-20C330 60 420 120 400 200S330 300 372 380 380 460 330 520H470C500 450 450 400 440 360 424 290 500 250 498 180S430 60 460-20Z" fill="${P.turq}"/>` +
    `<path d="${streets}M20 120L350 90M10 250L340 220M30 380L330 340M90 10L130 470M230 10L250 470" fill="none" stroke="${P.crema}" stroke-width="16" stroke-linecap="round"/>` +
    `<path d="M360-20C330 60 420 120 400 200S330 300 372 380 388 440 350 490M460-20C430 60 498 100 498 180S424 290 440 360 490 420 478 486" fill="none" stroke="${P.tinta}" stroke-width="6" stroke-linecap="round"/>` +
    `<path d="M384 236L476 252M380 268L470 284" stroke="${P.tinta}" stroke-width="7" stroke-linecap="round"/>` +
    `<path d="M690 310h70v50h-70ZM1000 60h60v50h-60ZM840 190h80v46h-80Z" fill="${P.hoja}" opacity=".75"/>` +
    `<g transform="translate(856 286)"><path d="M6 6C-60-60-66-96-66-122a72 72 0 0 1 144 0C78-96 72-60 6 6Z" fill="${P.coral}"/><circle cx="5" cy="-118" r="42" fill="${P.crema}"/><path d="M0 0C-66-66-72-102-72-128a72 72 0 0 1 144 0C72-102 66-66 0 0Z" fill="none" stroke="${P.tinta}" stroke-width="8" stroke-linejoin="round"/></g>${looseEighth(848, 184, 0.52, P.tinta)}` +
    `<g transform="translate(1110 510)"><path d="M0-44L12 0 0 44-12 0Z" fill="${P.crema}"/><path d="M-44 0H44M0-44V44" stroke="${P.crema}" stroke-width="4"/></g>`
  )
}

/** Pictures of volunteers' stories and of the foundation, and the map. */
export const volunteers = [[TINTS.mar, offering], [TINTS.sol, hours]].map(([ground, draw]) => ({ width: 480, height: 480, ground, draw }))
export const about = [[TINTS.sol, keyRoad]].map(([ground, draw]) => ({ width: 640, height: 480, ground, draw }))
export const cityMap = { width: 1200, height: 600, ground: P.arena, draw: map }
