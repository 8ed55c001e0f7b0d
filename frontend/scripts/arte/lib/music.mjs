import glyphs from './glyphs.json' with { type: 'json' }
import { P } from './palette.mjs'
import { n, sample, smooth } from './path.mjs'

/** Engraved outlines (Bravura, OFL) at 25 units a staff space. */
export const GLYPHS = glyphs

/**
 * A staff that follows a curve. `y(x)` is its middle line and `gap(x)` the distance
 * between two lines. Steps count half gaps down from the middle line, so even steps lie on lines.
 */
export function staff(y, gap) {
  const slope = (x) => (Math.atan2(y(x + 4) - y(x - 4), 8) * 180) / Math.PI
  const at = (x, step) => y(x) + (step * gap(x)) / 2
  const size = (x) => gap(x) / 25

  const head = (x, step, ink) =>
    `<ellipse rx="${n(17 * size(x))}" ry="${n(12.5 * size(x))}" transform="translate(${n(x)} ${n(at(x, step))}) rotate(${n(slope(x) - 20)})" fill="${ink}"/>`
  const stemX = (x) => x + 15 * size(x)
  const stem = (x, step, top, ink) =>
    `<path d="M${n(stemX(x))} ${n(at(x, step) - 5)}V${n(top)}" stroke="${ink}" stroke-width="${n(5 * size(x))}" stroke-linecap="round"/>`
  const top = (x, step) => at(x, step) - gap(x) * 3.5

  /** A quarter note. */
  const quarter = (x, step, ink = P.trazo) => head(x, step, ink) + stem(x, step, top(x, step), ink)
  /** A half note: an open head. */
  const half = (x, step, ink = P.trazo) =>
    `<ellipse rx="${n(15 * size(x))}" ry="${n(10 * size(x))}" transform="translate(${n(x)} ${n(at(x, step))}) rotate(${n(slope(x) - 24)})" fill="none" stroke="${ink}" stroke-width="${n(5 * size(x))}"/>` +
    stem(x, step, top(x, step), ink)
  /** An eighth note with its flag. */
  const eighth = (x, step, ink = P.trazo) =>
    quarter(x, step, ink) +
    `<path transform="translate(${n(stemX(x))} ${n(top(x, step))}) scale(${n(1.1 * size(x) * 10) / 10})" d="${glyphs.flag8}" fill="${ink}"/>`
  /** Beamed notes: stems are upright and the beam follows the outer notes. */
  const beamed = (notes, ink = P.trazo) => {
    const first = notes[0]
    const last = notes.at(-1)
    const a = [stemX(first[0]), top(...first)]
    const b = [stemX(last[0]), top(...last)]
    const beam = (x) => a[1] + ((b[1] - a[1]) * (x - a[0])) / (b[0] - a[0])
    const thick = 13 * size(first[0])
    return (
      notes.map(([x, step]) => head(x, step, ink) + stem(x, step, beam(stemX(x)) + 3, ink)).join('') +
      `<path d="M${n(a[0] - 2.5)} ${n(a[1])}L${n(b[0] + 2.5)} ${n(b[1])}v${n(thick)}L${n(a[0] - 2.5)} ${n(a[1] + thick)}Z" fill="${ink}"/>`
    )
  }
  /** A treble clef whose curl sits on the second line from below. */
  const clef = (x, { ink = P.trazo, shade = P.coral } = {}) =>
    `<g class="clave" transform="translate(${n(x - 38 * size(x))} ${n(at(x, 2))}) rotate(${n(slope(x))}) scale(${+(size(x) * 1.04).toFixed(3)})"><path d="${glyphs.gClef}" fill="${shade}" transform="translate(4 4)"/><path d="${glyphs.gClef}" fill="${ink}"/></g>`
  /** The five lines. */
  const lines = (x0, x1, { ink = P.trazo, width = 3.2, step = 40 } = {}) =>
    `<g class="pauta" fill="none" stroke="${ink}" stroke-width="${width}" stroke-linecap="round">${[-4, -2, 0, 2, 4]
      .map((k) => `<path d="${smooth(sample((x) => at(x, k), x0, x1, step))}"/>`)
      .join('')}</g>`

  return { at, beamed, clef, eighth, half, lines, quarter }
}

/** A loose eighth note for ornaments, its head at the origin. */
export const looseEighth = (x, y, s, ink) =>
  `<g transform="translate(${n(x)} ${n(y)}) scale(${s})" fill="${ink}"><ellipse rx="17" ry="12.5" transform="rotate(-20)"/><path d="M13 -4V-88h5V-4Z"/><path transform="translate(15.500 -88) scale(1.1)" d="${glyphs.flag8}"/></g>`

/** A loose quarter note for ornaments, its head at the origin. */
export const looseQuarter = (x, y, s, ink) =>
  `<g transform="translate(${n(x)} ${n(y)}) scale(${s})" fill="${ink}"><ellipse rx="17" ry="12.5" transform="rotate(-20)"/><path d="M13 -4V-88h5V-4Z"/></g>`

/** A loose pair of beamed eighths, the first head at the origin. */
export const loosePair = (x, y, s, ink, rise = 8) =>
  `<g transform="translate(${n(x)} ${n(y)}) scale(${s})" fill="${ink}"><ellipse rx="17" ry="12.5" transform="rotate(-20)"/><ellipse cx="74" cy="${-rise}" rx="17" ry="12.5" transform="rotate(-20 74 ${-rise})"/><path d="M13 -4V-88h5V-4ZM87 ${-4 - rise}V${-88 - rise}h5V${-4 - rise}ZM13 -88L92 ${-88 - rise}v14L13 -74Z"/></g>`
