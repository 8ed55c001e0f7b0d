import { P } from '../lib/palette.mjs'
import { looseEighth, loosePair, looseQuarter } from '../lib/music.mjs'
import { halftone, print, rings, sun } from '../lib/print.mjs'
import { instrument } from '../motifs/instruments.mjs'
import { bell } from '../motifs/winds.mjs'

export const ground = P.tinta

const NIGHT = [P.noche1, P.noche2, P.noche3, P.noche4]

/** A trumpet from the front: its three valves stand over the bell. */
const trumpet = (inside) => {
  const { fill, line } = bell(66, P.sol, inside, P.tinta)
  return {
    fill: `<path d="M-34-92h16v40h-16ZM-8-98H8v46H-8ZM18-92h16v40H18Z" fill="${P.miel}"/>${fill}`,
    line: `<path d="M-34-58v-34h16v30M-8-64v-34H8v34M18-62v-30h16v34M-26-92v-16M0-98v-16M26-92v-16M-34-110h16M-8-116H8M18-110h16"/>${line}`,
  }
}

/** A trombone from the front: its slide comes forward beside the bell. */
const slide = (inside) => {
  const { fill, line } = bell(92, P.miel, inside, P.tinta)
  return {
    fill: `<path d="M96-70h14V58a20 20 0 0 0 40 0V-70h14V58a34 34 0 0 1-68 0Z" fill="${P.sol}"/>${fill}`,
    line: `<path d="M96-70h14V58a20 20 0 0 0 40 0V-70h14V58a34 34 0 0 1-68 0ZM92-34h76"/>${line}`,
  }
}

/** A desk of the band: a panel with the sea of the mark. */
const desk = (x, y, colour) =>
  `<g transform="translate(${x} ${y})"><path d="M-98 8H112L102 190H-86Z" fill="${colour}"/><path d="M-104 0H104L94 190H-94Z" fill="none" stroke="${P.crema}" stroke-width="7" stroke-linejoin="round"/>` +
  `<path d="M-62 62c20-16 40-16 62 0s42 16 62 0M-62 84c20-16 40-16 62 0s42 16 62 0M-62 106c20-16 40-16 62 0s42 16 62 0" fill="none" stroke="${P.crema}" stroke-width="4.500" stroke-linecap="round"/></g>`

/** Big band: the bells of the brass shine in a row under a moon. */
export function draw() {
  const brass = { ink: P.crema, sw: 7 }
  const back = [590, 760, 930, 1100, 1270, 1440]
  const front = [670, 900, 1130, 1360]
  return [
    rings(1015, 360, [820, 650, 490, 340], NIGHT),
    sun(1015, 360, 226, P.miel, P.sol, 9),
    halftone(1015, 360, 226, { from: 0.05, colour: P.sol }),
    looseEighth(800, 210, 0.85, P.crema) + loosePair(930, 240, 0.9, P.tinta) + looseQuarter(1095, 290, 0.9, P.tinta) + looseEighth(1270, 190, 0.9, P.crema) + loosePair(1400, 300, 0.7, P.rosa),
    `<path d="M110 640h0M220 560h0M330 690h0M440 610h0M60 500h0M1540 160h0M1460 90h0M1330 60h0M520 480h0M1570 380h0M700 80h0" stroke="${P.sol}" stroke-width="9" stroke-linecap="round"/>`,
    `<path d="M-20 690C160 640 340 660 520 640S1400 640 1640 660V910H-20Z" fill="${P.noche}"/>`,
    back.map((x, i) => print(trumpet(i % 2 ? P.rosa : P.coral), { x, y: 520, ...brass })).join(''),
    front.map((x, i) => print(bell(92, P.miel, i % 2 ? P.coral : P.rosa, P.tinta), { x, y: 640, ...brass })).join(''),
    [90, 312].map((x, i) => print(slide(i ? P.coral : P.rosa), { x, y: 720 - i * 26, s: 0.72, ...brass })).join(''),
    print(instrument('saxofon', P.sol), { x: 560, y: 742, s: 2.5, r: -6, ...brass, paper: P.tinta }),
    print(instrument('saxofon', P.sol), { x: 800, y: 742, s: 2.5, r: -6, ...brass, paper: P.tinta }),
    print(instrument('saxofon', P.sol), { x: 1040, y: 742, s: 2.5, r: -6, ...brass, paper: P.tinta }),
    print(instrument('saxofon', P.sol), { x: 1280, y: 742, s: 2.5, r: -6, ...brass, paper: P.tinta }),
    print(instrument('saxofon', P.sol), { x: 1520, y: 742, s: 2.5, r: -6, ...brass, paper: P.tinta }),
    [80, 320, 560, 800, 1040, 1280, 1520].map((x, i) => desk(x, 774, [P.mar, P.coral, P.turq][i % 3])).join(''),
  ].join('')
}
