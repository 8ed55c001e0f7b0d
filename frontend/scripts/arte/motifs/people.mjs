import { P } from '../lib/palette.mjs'
import { n, polar } from '../lib/path.mjs'

/** A hibiscus, the flower behind an ear, of the given radius. */
export function hibiscus(x, y, r, colour = P.rosa) {
  const petals = [0, 72, 144, 216, 288].map((a) => {
    const [px, py] = polar(x, y, r * 0.55, a - 90)
    return `<circle cx="${n(px)}" cy="${n(py)}" r="${n(r * 0.5)}"/>`
  })
  return `<g fill="${colour}" stroke="${P.tinta}" stroke-width="4">${petals.join('')}</g><circle cx="${n(x)}" cy="${n(y)}" r="${n(r * 0.34)}" fill="${P.sol}" stroke="${P.tinta}" stroke-width="4"/>`
}

const curls = (centre, radius, r, from, to, count) =>
  [...Array(count).keys()].map((i) => polar(centre[0], centre[1], radius, from + ((to - from) * i) / (count - 1))).map(([x, y]) => `M${n(x - r)} ${n(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0-${2 * r} 0Z`).join('')

/** Hair by its cut: behind the head, and over the brow. */
export const HAIR = {
  rizos: { back: `${curls([0, -40], 74, 40, 160, 380, 9)}M-70-40H70V20H-70Z`, brow: 'M-58-46C-50-96 50-96 58-46C36-66 12-70-4-60C-22-72-44-64-58-46Z' },
  mono: { back: 'M-34-150a36 32 0 1 1 70 0Q78-122 70-40V-10H-70V-40Q-78-122-34-150Z', brow: 'M-60-30C-66-100 66-100 60-30C50-66 22-80-6-82C-36-74-54-60-60-30Z' },
  largo: { back: 'M-76 70C-96 0-100-60-70-100C-40-138 46-138 72-100C104-56 92 6 78 70C60 84 40 70 30 56H-30C-42 72-58 84-76 70Z', brow: 'M-60-24C-66-104 62-110 60-26C50-46 44-62 36-78C12-54-30-46-60-24Z' },
}

/** A bust without features, as on a medal, 300 × 340, chin near the origin. */
export const bust = (hair, skin, dress, collar) => ({
  fill:
    `<path d="${HAIR[hair].back}" fill="${P.tinta}"/><path d="M-150 190C-150 110-96 84-40 74V30H40V74C96 84 150 110 150 190Z" fill="${dress}"/>` +
    `<path d="M-58-50V-14C-58 26-30 52 0 52S58 26 58-14V-50C58-104-58-104-58-50Z" fill="${skin}"/><path d="M-30 40V78Q0 110 30 78V40Q0 62-30 40Z" fill="${skin}"/>${collar ?? ''}`,
  line: `<path d="M-58-44V-14C-58 26-30 52 0 52S58 26 58-14V-44"/><path d="M-30 44V78Q0 110 30 78V44"/><path d="M-150 190C-150 110-96 84-32 74M150 190C150 110 96 84 32 74"/><path d="${HAIR[hair].brow}" solid/>`,
})
