import letters from '../lib/letters.json' with { type: 'json' }
import { P } from '../lib/palette.mjs'
import { picture } from '../lib/print.mjs'
import * as hero from './hero-1.mjs'
import { mark } from './logo.mjs'

/** The mark in a square, as an icon of the browser. */
export const favicon = () => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="4 4 91 91">${mark()}</svg>`

/** The mark on paper that fills a square: for home screens, which cut their own corners. */
export const appIcon = (margin) => {
  const side = 98 * (1 + 2 * margin)
  const from = -98 * margin
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${from - 1} ${from - 1} ${side} ${side}"><path d="M${from - 1} ${from - 1}h${side}v${side}h-${side}z" fill="${P.crema}"/>${mark()}</svg>`
}

const word = (key, x, y, ink) => `<path transform="translate(${x} ${y})" d="${letters[key].d}" fill="${ink}"/>`

/** The card that social networks show: 1200 × 630. */
export const card = () =>
  picture({
    width: 1200,
    height: 630,
    body:
      `<g transform="translate(10 -6) scale(.75)">${hero.draw({ score: false })}</g>` +
      `<g transform="translate(60 40) scale(.9)">${mark()}</g>` +
      word('ogFundacion', 64, 182, P.tinta) +
      word('ogTitulo1', 60, 262, P.tinta) +
      word('ogTitulo2', 60, 346, P.tinta) +
      word('ogLema', 64, 396, P.enlace),
  })
