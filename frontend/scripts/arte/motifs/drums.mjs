import { P } from '../lib/palette.mjs'
import { n } from '../lib/path.mjs'

/** Tambora: the two-headed drum of merengue, lying on its side, 240 × 150. */
export const tambora = (colour = P.coral, skin = P.crema) => ({
  fill: `<path d="M-100-62C-60-78 60-78 100-62C126-40 126 46 100 66C60 82-60 82-100 66Z" fill="${colour}"/><ellipse cx="-100" cy="2" rx="24" ry="65" fill="${skin}"/>`,
  line:
    '<path d="M-100-62C-60-78 60-78 100-62C126-40 126 46 100 66C60 82-60 82-100 66"/><ellipse cx="-100" cy="2" rx="25" ry="65"/>' +
    '<path thin d="M-76-4-44-73-10 78 24-75 58 78 92-64"/><path thin d="M100-62C122-36 122 40 100 66"/>',
})

/** The head of a tambora seen from the front, 200 across: skin, hoop and the knots of its ropes. */
export const tamboraHead = (colour = P.coral, skin = P.crema) => {
  const knots = [...Array(10).keys()].map((i) => {
    const a = (i * 36 * Math.PI) / 180
    return `M${n(88 * Math.cos(a))} ${n(88 * Math.sin(a))}h0`
  })
  return {
    fill: `<circle r="100" fill="${colour}"/><circle r="76" fill="${skin}"/>`,
    line: `<circle r="100"/><circle r="76"/><path d="${knots.join('')}"/><path thin d="M-58-14A60 60 0 0 1-14-58"/>`,
  }
}

/** Güira: the metal scraper, upright, 110 × 200, its points in staggered rows. */
export const guira = (colour = P.espuma) => {
  let points = ''
  for (let row = 0; row < 9; row++) for (let i = -2; i <= 2 - (row % 2); i++) points += `M${i * 12.5 + (row % 2) * 6.2} ${-64 + row * 17}h0`
  return {
    fill: `<path d="M-36-88A36 11 0 0 1 36-88V88A36 11 0 0 1-36 88Z" fill="${colour}"/>`,
    line: `<ellipse cy="-88" rx="36" ry="11"/><path d="M-36-88V88A36 11 0 0 0 36 88V-88"/><path d="M36-48h15q5 0 5 5v84q0 5-5 5H36"/><path thin d="${points}"/>`,
  }
}

/** The güira's scraper: a grip and three tines, pointing up. */
export const raspa = (colour = P.sol) => ({
  fill: `<path d="M-13 0h26v58a13 13 0 0 1-26 0Z" fill="${colour}"/>`,
  line: '<path d="M-13 0h26v58a13 13 0 0 1-26 0Z"/><path d="M-8 0-15-64M0 0V-68M8 0 15-64"/>',
})

/** Palo mayor: the tall drum of the brotherhoods, 120 × 250, skin held by pegs. */
export const palo = (colour = P.coral, skin = P.crema, sash = P.sol) => ({
  fill:
    `<path d="M-54-104L-38 118A38 12 0 0 0 38 118L54-104Z" fill="${colour}"/><ellipse cy="-104" rx="54" ry="17" fill="${skin}"/>` +
    `<path d="M-47-4Q0 14 47-4L45 22Q0 40-45 22Z" fill="${sash}"/>`,
  line:
    '<ellipse cy="-104" rx="54" ry="17"/><path d="M-54-104L-38 118A38 12 0 0 0 38 118L54-104"/><path d="M-52-70Q0-50 52-70"/>' +
    '<path d="M-40-74l-4 26M-14-66l-1 26M14-66l1 26M40-74l4 26"/><path thin d="M-47-4Q0 14 47-4M-45 22Q0 40 45 22"/>',
})

/** A kettledrum on its feet, 200 × 190. */
export const timpani = (colour = P.sol, skin = P.crema) => ({
  fill: `<path d="M-90-40C-90 40-50 74 0 74S90 40 90-40Z" fill="${colour}"/><ellipse cy="-40" rx="90" ry="22" fill="${skin}"/>`,
  line:
    '<ellipse cy="-40" rx="90" ry="22"/><path d="M-90-40C-90 40-50 74 0 74S90 40 90-40"/><path d="M-60-22v32M-22-18v34M22-18v34M60-22v32"/>' +
    '<path d="M-58 52-74 108M58 52 74 108M0 74v30"/>',
})

/** A snare with its two sticks, 190 × 130. */
export const snare = (colour = P.coral, skin = P.crema) => ({
  fill: `<path d="M-80-20V36A80 20 0 0 0 80 36V-20Z" fill="${colour}"/><ellipse cy="-20" rx="80" ry="20" fill="${skin}"/>`,
  line:
    '<ellipse cy="-20" rx="80" ry="20"/><path d="M-80-20V36A80 20 0 0 0 80 36V-20"/><path thin d="M-68-8l18 60 22-52 28 58 28-58 22 52 18-60"/>' +
    '<path d="M-92-64 16-26M92-72-6-32"/><path d="M16-26h0M-6-32h0"/>',
})

/** A pair of maracas crossed, 180 × 180. */
export const maracas = (one = P.coral, other = P.turq) => ({
  fill: `<g transform="rotate(-28)"><ellipse cy="-52" rx="34" ry="42" fill="${one}"/></g><g transform="rotate(28)"><ellipse cy="-52" rx="34" ry="42" fill="${other}"/></g>`,
  line: ['-28', '28']
    .map((turn) => `<g transform="rotate(${turn})"><ellipse cy="-52" rx="34" ry="42"/><path d="M-6-10-5 84a5 5 0 0 0 10 0L6-10"/><path thin d="M-32-64Q0-54 32-64M-32-44Q0-34 32-44"/></g>`)
    .join(''),
})
