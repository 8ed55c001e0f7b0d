import { P } from './palette.mjs'
import { n } from './path.mjs'

/**
 * Prints a motif in two layers, so that all drawings have the same style:
 * flat colour first, shifted in screen space, then the ink line on top.
 *
 * A motif is `{ fill, line }` drawn around its own origin. In `line`, the bare attribute
 * `thin` becomes a lighter stroke, `paper` a hole that shows the ground, and `bare` a stroke that stands on the ground
 * without a colour of its own: it is light in the dark theme.
 */
export function print(motif, options = {}) {
  const { x = 0, y = 0, s = 1, r = 0, sw = 5, dx, dy, ink = P.tinta, paper = P.crema, flip = 1 } = options
  const shift = sw * 1.05
  const turn = `${r ? ` rotate(${n(r)})` : ''}${s !== 1 || flip !== 1 ? ` scale(${+(s * flip).toFixed(3)} ${+s.toFixed(3)})` : ''}`
  const at = (px, py) => `transform="translate(${n(px)} ${n(py)})${turn}"`
  const width = +(sw / s).toFixed(2)
  const line = motif.line
    .replaceAll(' thin', ` stroke-width="${+(width * 0.62).toFixed(2)}"`)
    .replaceAll(' bare', ink === P.tinta ? ` stroke="${P.trazo}"` : '')
    .replaceAll(' paper', ` fill="${paper}"`)
    .replaceAll(' solid', ` fill="${ink}"`)
  return (
    `<g ${at(x + (dx ?? shift), y + (dy ?? shift))}>${motif.fill}</g>` +
    `<g ${at(x, y)} fill="none" stroke="${ink}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round">${line}</g>`
  )
}

/** A whole picture on its own ground, clipped to its frame. */
export function picture({ width, height, ground = P.crema, viewBox, body }) {
  const box = viewBox ?? [0, 0, width, height]
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box.join(' ')}" width="${width}" height="${height}">` +
    `<clipPath id="c"><path d="M${box[0]} ${box[1]}h${box[2]}v${box[3]}h-${box[2]}z"/></clipPath>` +
    `<g clip-path="url(#c)"><path class="suelo" d="M${box[0]} ${box[1]}h${box[2]}v${box[3]}h-${box[2]}z" fill="${ground}"/>${body}</g></svg>`
  )
}

/** A sun with a misregistered second print. */
export const sun = (cx, cy, r, face = P.brasa, shade = P.coral, shift = 8) =>
  `<circle cx="${n(cx + shift)}" cy="${n(cy + shift)}" r="${n(r)}" fill="${shade}"/><circle cx="${n(cx)}" cy="${n(cy)}" r="${n(r)}" fill="${face}"/>`

/** Concentric flat rings; the first radius is the outermost. */
export const rings = (cx, cy, radii, colours) =>
  radii.map((r, i) => `<circle cx="${n(cx)}" cy="${n(cy)}" r="${n(r)}" fill="${colours[i % colours.length]}"/>`).join('')

/** Dots that grow downwards inside a circle: the one halftone a scene may have. */
export function halftone(cx, cy, radius, { from = 0.1, step = 16, colour = P.coral, grow = 0.33 } = {}) {
  let dots = ''
  const rows = Math.floor((radius * (1 - from)) / (step * 0.875))
  for (let j = 0; j < rows; j++) {
    const y = cy + radius * from + j * step * 0.875
    const r = 0.6 + j * grow
    let d = ''
    for (let i = -Math.ceil(radius / step); i <= radius / step; i++) {
      const x = cx + i * step + (j % 2) * (step / 2)
      if ((x - cx) ** 2 + (y - cy) ** 2 < (radius - r - 3) ** 2) d += `M${n(x)} ${n(y)}h0`
    }
    if (d) dots += `<path d="${d}" stroke-width="${n(r * 2)}"/>`
  }
  return `<g stroke="${colour}" stroke-linecap="round">${dots}</g>`
}

/** The hand-cut disc behind icons and small motifs, in a square of 200. */
export const BLOB = 'M100 4c54-4 96 30 96 92s-40 100-98 98S2 158 4 100 46 8 100 4Z'
