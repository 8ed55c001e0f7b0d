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
    looseEighth(150, 150, 0.7, P.trazo) + loosePair(460, 130, 0.66, P.trazo)
  )
}

/**
 * Santo Domingo on both banks of the Ozama, schematic: the river, the sea, the main streets and what visitors know. The page prints the
 * names over it (src/features/contact/map-section.tsx). No pin: the address is not confirmed.
 */
const map = () => {
  const river = 'M452-20C446 40 396 78 352 124S300 190 318 262 352 330 346 388 330 440 322 480'
  const streets = 'M20 60L250 96M10 150L262 168M10 250L262 262M10 350L270 352M70 10L54 400M150 20L138 400M226 60L232 400M420 150L560 240M470 60L620 190M560 20L600 400M730 20L742 400M870 20L880 396M1010 20L1026 400M1130 20L1150 400M420 330L1210 322M640 110L1210 120'
  const avenue = 'M-20 176L318 176C520 170 700 226 1220 226'
  const block = (x, y, w, h) => `<path d="M${x + 6} ${y + 6}h${w}v${h}h-${w}Z" fill="${P.hoja}"/><path d="M${x} ${y}h${w}v${h}h-${w}Z" fill="none" stroke="${P.tinta}" stroke-width="5" stroke-linejoin="round"/>`
  return (
    `<path d="${streets}" fill="none" stroke="${P.alba}" stroke-width="12" stroke-linecap="round"/>` +
    `<path d="${avenue}" fill="none" stroke="${P.tinta}" stroke-width="26"/><path d="${avenue}" fill="none" stroke="${P.crema}" stroke-width="18"/><path d="${avenue}" fill="none" stroke="${P.sol}" stroke-width="4" stroke-dasharray="22 18"/>` +
    `<path d="${river}" fill="none" stroke="${P.tinta}" stroke-width="62"/><path d="${river}" fill="none" stroke="${P.turq}" stroke-width="50"/>` +
    band(swell(446, 9, 520, 0.4), -20, 1240, 620, P.turq) + foam(swell(478, 9, 420, 0.4), -20, 1240, P.cresta) + band(swell(530, 8, 460, 2), -20, 1240, 620, P.mar) + foam(swell(560, 8, 400, 1), -20, 1240, P.brisa) +
    // The bridges, from the north: Duarte, Mella, and the floating one.
    `<g stroke="${P.tinta}" stroke-width="20"><path d="M276 176H352M282 276L364 268M308 356L384 350"/></g><g stroke="${P.crema}" stroke-width="9"><path d="M276 176H352M282 276L364 268M308 356L384 350"/></g>` +
    // The colonial city with its walls, the lighthouse as a cross that lies on the ground, and the park with its caves.
    `<g transform="translate(196 338)"><path d="M-56-40H60V56H-40Z" fill="${P.coral}" transform="translate(6 6)"/><path d="M-56-40H60V56H-40Z" fill="none" stroke="${P.tinta}" stroke-width="5" stroke-linejoin="round"/><path d="M-24 56V10a22 22 0 0 1 44 0V56" fill="${P.crema}" stroke="${P.tinta}" stroke-width="5"/></g>` +
    `<g transform="translate(566 326)"><path d="M-74-14H-16V-34H12V-14H78V16H12V36H-16V16H-74Z" fill="${P.sol}" transform="translate(6 6)"/><path d="M-74-14H-16V-34H12V-14H78V16H12V36H-16V16H-74Z" fill="none" stroke="${P.tinta}" stroke-width="6" stroke-linejoin="round"/></g>` +
    block(690, 272, 250, 84) + `<g fill="${P.mar}" stroke="${P.tinta}" stroke-width="5"><ellipse cx="1010" cy="316" rx="24" ry="14"/><ellipse cx="1054" cy="296" rx="18" ry="11"/><ellipse cx="1066" cy="334" rx="20" ry="12"/></g>` +
    `<g transform="translate(1130 520)"><path d="M0-44L12 0 0 44-12 0Z" fill="${P.crema}"/><path d="M-44 0H44M0-44V44" stroke="${P.crema}" stroke-width="4"/></g>`
  )
}

/** Pictures of volunteers' stories and of the foundation, and the map. */
export const volunteers = [[TINTS.mar, offering], [TINTS.sol, hours]].map(([ground, draw]) => ({ width: 480, height: 480, ground, draw }))
export const about = [[TINTS.sol, keyRoad]].map(([ground, draw]) => ({ width: 640, height: 480, ground, draw }))
export const cityMap = { width: 1200, height: 600, ground: P.arena, draw: map }
