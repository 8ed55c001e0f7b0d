import { optimize } from 'svgo'
import { BLOB } from './lib/print.mjs'
import { P, TINTS } from './lib/palette.mjs'
import { INSTRUMENTS } from './motifs/instruments.mjs'
import { mark, words } from './scenes/logo.mjs'

const settings = { multipass: true, plugins: [{ name: 'preset-default', params: { overrides: { collapseGroups: false, cleanupIds: false, convertPathData: { floatPrecision: 1 } } } }] }

/** The optimized content of an SVG fragment. */
const inner = (body) => optimize(`<svg xmlns="http://www.w3.org/2000/svg">${body}</svg>`, settings).data.replace(/^<svg[^>]*>|<\/svg>$/g, '')

/** SVG attributes in JSX spelling. */
const jsx = (svg) => inner(svg).replace(/\b(stroke|clip|fill)-([a-z])([a-z]*)=/g, (_, a, b, c) => `${a}${b.toUpperCase()}${c}=`)

/** Poses that differ from the default: scale, offset, and shift of the colour. */
const POSE = { bajo: [-7, 6, 1], guitarra: [-7, 6, 1], canto: [2, 0, 0.94], flauta: [0, 0, 0.94], saxofon: [0, 0, 1.02], trompeta: [0, 0, 1.02] }
const GROUND = { saxofon: TINTS.sol, bajo: TINTS.mar, trompeta: TINTS.coral, guitarra: TINTS.mar, canto: TINTS.rosa, flauta: TINTS.sol, bateria: TINTS.mar }

/** An instrument on its hand-cut disc, in a square of 200. */
export function icon(name) {
  const it = INSTRUMENTS[name]
  const [dx, dy, scale] = POSE[name] ?? [0, 0, 1]
  const k = scale * 1.5
  const o = 48 - 48 * scale
  const line = it.line.replaceAll(' thin', ' stroke-width="2.6"').replaceAll(' paper', ` fill="${P.crema}"`)
  const turn = it.turn ? ` transform="rotate(${it.turn} 48 48)"` : ''
  const pen = `fill="none" stroke="${P.tinta}" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"`
  return (
    `<path d="${BLOB}" fill="${GROUND[name]}"/><g transform="translate(${28 + 1.5 * (o + dx - 1)} ${24 + 1.5 * (o + dy - 1)}) scale(${k})">` +
    `<g transform="translate(4 4)" fill="${it.colour}"><g${turn}>${it.fill}</g></g><g ${pen}><g${turn}>${line}</g>${it.extra ?? ''}</g></g>`
  )
}

const notice = '// Written by scripts/arte/generate.mjs; edit the drawing there.\n'

/** The TSX source of the instrument drawings. */
export const instrumentsSource = () =>
  `${notice}\n/** The drawings of the seven instruments, in squares of 200. */\nexport const STROKES = {\n${Object.keys(INSTRUMENTS)
    .map((name) => `  ${name}: (\n    <>${jsx(icon(name))}</>\n  ),`)
    .join('\n')}\n}\n`

/** The TSX source of the mark. */
export const markSource = () => `${notice}\n/** The foundation's mark, in a square of 98. */\nexport const MARK_STROKE = <>${jsx(mark())}</>\n`

/** A sprite with the wordmark. Its outlines are therefore not part of a script. */
export const wordsSprite = () =>
  `<svg xmlns="http://www.w3.org/2000/svg"><symbol id="texto" viewBox="0 0 332 98">${inner(words())}</symbol></svg>`
