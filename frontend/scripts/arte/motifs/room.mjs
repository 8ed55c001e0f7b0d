import { P } from '../lib/palette.mjs'
import { n } from '../lib/path.mjs'

/** A music stand with its open score, desk centred on the origin, 200 wide; `post` is how far down its foot is. */
export const stand = ({ post = 220, desk = P.mar, page = P.crema, feet = true } = {}) => ({
  fill: `<path d="M-100-62h200l-12 100H-88Z" fill="${desk}"/><path d="M-4-52C-30-70-60-66-82-58L-74 24C-52 14-26 14-4 26ZM4-52C30-70 60-66 82-58L74 24C52 14 26 14 4 26Z" fill="${page}"/>`,
  line:
    '<path d="M-100-62-88 38H88L100-62"/><path d="M0-50C-26-70-60-66-82-58L-74 26C-52 16-26 16 0 28 26 16 52 16 74 26L82-58C60-66 26-70 0-50ZM0-50V28"/>' +
    '<path thin d="M-68-38c18-6 36-6 54 2M-66-22c18-6 34-6 52 2M-64-6c18-6 32-6 50 2M68-38c-18-6-36-6-54 2M66-22c-18-6-34-6-52 2M64-6c-18-6-32-6-50 2"/>' +
    `<path bare d="M0 38V${post}"/>${feet ? `<path bare d="M0 ${post - 46}-48 ${post}M0 ${post - 46} 48 ${post}"/>` : ''}`,
})

/** A metronome, its rod leaning, 170 × 230. */
export const metronome = (colour = P.coral, lean = 16) => ({
  fill: `<path d="M-36-104h72L78 96H-78Z" fill="${colour}"/><path d="M-27-84h54L47 36H-47Z" fill="${P.crema}"/>`,
  line:
    '<path d="M-36-104Q-34-112-26-112H26Q34-112 36-104L78 96H-78Z"/><path d="M-27-84h54L47 36H-47Z" paper/>' +
    `<path thin d="M-12-64h24M-14-44h28M-16-24h32M-18-4h36"/><g transform="rotate(${lean} 0 60)"><path d="M0 60V-122"/><path d="M-14-86h28l-6 26H-8Z" solid/></g>` +
    '<path d="M-58 36H58"/><path d="M-62 96v14M62 96v14"/><circle cy="66" r="9" paper/>',
})

/** A baton: its grip at the origin, the point up and to the right. */
export const baton = (grip = P.coral) => ({
  fill: `<path d="M-66 56C-78 40-66 22-50 24L-26 30-40 54C-46 66-58 68-66 56Z" fill="${grip}"/>`,
  line: '<path d="M-66 56C-78 40-66 22-50 24L-26 30-40 54C-46 66-58 68-66 56Z"/><path d="M-33 42 130-78"/>',
})

/** A key whose bow is a treble clef, upright, 90 × 260. */
export const clefKey = (clef, colour = P.sol) => ({
  fill: `<g transform="translate(-64 -42) scale(1.7)"><path d="${clef}" fill="${colour}"/></g><path d="M-6 60h12v92h40v16H34v16H20v-16H6v10H-6Z" fill="${colour}"/>`,
  line: `<g transform="translate(-64 -42) scale(1.7)"><path d="${clef}" solid stroke="none"/></g><path d="M-6 74V194H6V184H20V176H34V168H46V152H6V74"/>`,
})

/** A cup of coffee, 120 × 110, its steam a wave. */
export const cup = (colour = P.turq) => ({
  fill: `<path d="M-44-22h80l-8 62q-2 12-14 12h-36q-12 0-14-12Z" fill="${colour}"/><ellipse cy="60" cx="-4" rx="58" ry="9" fill="${P.arena}"/>`,
  line: '<path d="M-44-22h80l-8 62q-2 12-14 12h-36q-12 0-14-12Z"/><path d="M34-8q24-4 22 16t-28 18"/><path bare d="M-62 60H54"/><path bare thin d="M-24-40q-10-14 0-28t0-28M4-40q-10-14 0-28t0-28"/>',
})

/** A school shoe seen from its side, toe to the right, 150 × 80. */
export const shoe = (colour = P.coral) => ({
  fill: `<path d="M-64-34h44C-10-14 14-6 40-2q26 4 26 26H-64Z" fill="${colour}"/>`,
  line: '<path d="M-64-34h44C-10-14 14-6 40-2q26 4 26 26H-64Z"/><path d="M-70 24H70v12H-70Z" solid/><path thin d="M-12-18-24-6M2-10-10 4M16-5 6 8"/><path thin d="M-64-20q18 6 40-4"/>',
})

/** An open hand, fingers up, 130 × 170. */
export const hand = (colour = P.sol, sleeve = P.mar) => ({
  fill: `<path d="M-38 70V-42a9.500 9.500 0 0 1 19 0v-16a9.500 9.500 0 0 1 19 0v6a9.500 9.500 0 0 1 19 0v20a9.500 9.500 0 0 1 19 0V22l16-18a10 10 0 0 1 16 12L44 60q-6 6-6 10Z" fill="${colour}"/><path d="M-46 70h92v44h-92Z" fill="${sleeve}"/>`,
  line: '<path d="M-38 70V-42a9.500 9.500 0 0 1 19 0v-16a9.500 9.500 0 0 1 19 0v6a9.500 9.500 0 0 1 19 0v20a9.500 9.500 0 0 1 19 0V22l16-18a10 10 0 0 1 16 12L44 60q-6 6-6 10"/><path thin d="M-19-42V4M0-52V4M19-34V4M38 22q-10 2-16 14"/><path d="M-46 114V70h92v44"/>',
})

/** Piano keys from above: `count` white keys of the given size, from C. */
export function keys(count, w, h) {
  let white = ''
  let black = ''
  for (let i = 0; i < count; i++) {
    white += `M${n(i * w)} 0h${w}v${h}h-${w}Z`
    if (![2, 6].includes(i % 7) && i < count - 1) black += `M${n((i + 1) * w - w * 0.28)} 0h${n(w * 0.56)}v${n(h * 0.6)}h-${n(w * 0.56)}Z`
  }
  return { white, black }
}
