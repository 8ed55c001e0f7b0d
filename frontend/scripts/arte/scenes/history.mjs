import letters from '../lib/letters.json' with { type: 'json' }
import { GLYPHS, looseEighth } from '../lib/music.mjs'
import { P, TINTS } from '../lib/palette.mjs'
import { band, n, polar, swell } from '../lib/path.mjs'
import { halftone, print, rings, sun } from '../lib/print.mjs'
import { clefKey, hand, stand } from '../motifs/room.mjs'

const head = (x, y, ink) => `<ellipse cx="${x}" cy="${y}" rx="52" ry="38" transform="rotate(-20 ${x} ${y})" fill="${ink}"/>`

/** Three notes under one beam: three sisters. */
const sisters = () => {
  const stems = 'M188 396V150M338 372V120M488 348V90'
  const beam = 'M180 132L496 72V122L180 182Z'
  return (
    rings(312, 300, [250, 190], [P.oro, P.miel]) +
    `<g transform="translate(9 9)">${head(140, 410, P.coral)}${head(290, 386, P.turq)}${head(440, 362, P.rosa)}<path d="${beam}" fill="${P.sol}"/></g>` +
    `<g fill="none" stroke="${P.tinta}" stroke-width="10" stroke-linecap="round" stroke-linejoin="round"><path d="${stems}"/><path d="${beam}"/><ellipse cx="140" cy="410" rx="52" ry="38" transform="rotate(-20 140 410)"/><ellipse cx="290" cy="386" rx="52" ry="38" transform="rotate(-20 290 386)"/><ellipse cx="440" cy="362" rx="52" ry="38" transform="rotate(-20 440 362)"/></g>` +
    band(swell(500, 12, 300, 0.4), -20, 620, 610, P.turq) + band(swell(540, 12, 340, 2), -20, 620, 610, P.mar)
  )
}

/** A seed in the earth and the note that grows from it. */
const seed = () =>
  sun(300, 210, 128, P.miel, P.sol) +
  `<path d="M-10 400H610V610H-10Z" fill="${P.coral}"/><path d="M-10 470C120 450 200 490 320 470S520 450 610 470V610H-10Z" fill="${P.barro}"/><path d="M-10 400H610" stroke="${P.tinta}" stroke-width="8"/>` +
  `<g transform="translate(8 8)"><path d="M300 330C240 330 200 300 190 250C250 250 290 280 300 330Z" fill="${P.hoja}"/><path d="M300 370C360 370 400 344 412 292C352 292 310 320 300 370Z" fill="${P.hoja}"/><ellipse cx="300" cy="478" rx="34" ry="44" fill="${P.sol}"/></g>` +
  `<g fill="none" stroke="${P.tinta}" stroke-width="9" stroke-linecap="round" stroke-linejoin="round"><path d="M300 436V110"/><path d="M300 330C240 330 200 300 190 250C250 250 290 280 300 330ZM300 370C360 370 400 344 412 292C352 292 310 320 300 370Z"/><ellipse cx="300" cy="478" rx="34" ry="44"/><path d="M276 520c-10 24-30 34-50 40M300 524v50M324 520c10 24 30 34 50 40" stroke-width="6"/></g>` +
  `<path transform="translate(298 106) scale(1.9)" d="${GLYPHS.flag8}" fill="${P.tinta}"/>`

/** The first classroom: an open door, the light on its floor and three stands. */
const room = () =>
  `<path d="M-10-10H610V440H-10Z" fill="${TINTS.mar}"/><path d="M-10 440H610V610H-10Z" fill="${P.arena}"/>` +
  `<path d="M212 440V130a94 94 0 0 1 188 0V440Z" fill="${P.sol}"/><path d="M212 440H400L500 610H130Z" fill="${P.oro}"/><path d="M400 440V118L492 150V500Z" fill="${P.turq}"/>` +
  `<g fill="none" stroke="${P.tinta}" stroke-width="8" stroke-linejoin="round" stroke-linecap="round"><path d="M-10 440H206M400 440H610"/><path d="M206 440V130a94 94 0 0 1 188 0V440"/><path d="M394 130L488 160V500L394 440Z"/><path d="M416 190l52 16v96l-52-22ZM416 322l52 24v86l-52-28Z" stroke-width="5"/></g>` +
  `<path d="M60 120h96v110H60Z" fill="${P.crema}" transform="translate(6 6)"/><g fill="none" stroke="${P.tinta}" stroke-width="6"><path d="M60 120h96v110H60Z"/><path d="M74 150h68M74 162h68M74 174h68M74 186h68M74 198h68" stroke-width="2.600"/></g>${looseEighth(96, 186, 0.36, P.rosa)}` +
  [[120, 372, P.coral], [300, 330, P.rosa], [538, 420, P.mar]].map(([x, y, desk]) => print(stand({ post: 190, desk }), { x, y, s: 0.66, sw: 7 })).join('')

/** Outlined letters, centred. */
const word = (key, cx, y, ink) => `<path transform="translate(${n(cx - letters[key].ancho / 2)} ${y})" d="${letters[key].d}" fill="${ink}"/>`

/** A calendar page: 28 FEB 2025. */
const page = () => {
  return (
    `<circle cx="300" cy="304" r="250" fill="${P.petalo}"/><g transform="translate(310 312) rotate(-4)"><path d="M-160-170H160V190H-160Z" fill="${P.crema}"/><path d="M-160-170H160V-74H-160Z" fill="${P.coral}"/></g>` +
    `<g transform="translate(300 302) rotate(-4)"><path d="M-160-170H160V190H-160ZM-160-74H160" fill="none" stroke="${P.tinta}" stroke-width="9" stroke-linejoin="round"/><path d="M-96-200v56M96-200v56" stroke="${P.tinta}" stroke-width="16" stroke-linecap="round"/>` +
    `<g transform="translate(0 -104) scale(1.35)">${word('feb', 0, 0, P.crema)}</g><g transform="translate(0 70) scale(1.28)">${word('n28', 0, 0, P.tinta)}</g><g transform="translate(0 146) scale(1.6)">${word('n2025', 0, 0, P.mar)}</g></g>` +
    looseEighth(500, 150, 0.8, P.trazo)
  )
}

/** A key whose bow is a treble clef. */
const key = () =>
  rings(300, 300, [250, 180], [P.bruma, P.menta]) + print(clefKey(GLYPHS.gClef), { ink: P.trazo, x: 296, y: 320, s: 1.14, r: 14, sw: 8 })

/** Two hands that clap. */
const applause = () => {
  const beams = [...Array(9).keys()].map((i) => {
    const a = 200 + i * 17.5
    const [x0, y0] = polar(300, 300, 190, a)
    const [x1, y1] = polar(300, 300, i % 2 ? 230 : 254, a)
    return `M${n(x0)} ${n(y0)}L${n(x1)} ${n(y1)}`
  })
  return (
    sun(300, 300, 164, P.miel, P.sol) +
    halftone(300, 300, 164, { from: 0.1, colour: P.sol }) +
    `<path d="${beams.join('')}" stroke="${P.coral}" stroke-width="11" stroke-linecap="round"/>` +
    print(hand(P.coral, P.mar), { x: 214, y: 350, s: 1.75, r: 14, sw: 9, flip: -1 }) +
    print(hand(P.rosa, P.hoja), { x: 392, y: 356, s: 1.75, r: -14, sw: 9 })
  )
}

/** The six pictures of the historical gallery, 600 × 600. */
export const history = [
  [TINTS.sol, sisters],
  [TINTS.mar, seed],
  [TINTS.mar, room],
  [TINTS.rosa, page],
  [TINTS.mar, key],
  [TINTS.coral, applause],
].map(([ground, draw]) => ({ width: 600, height: 600, ground, draw }))
