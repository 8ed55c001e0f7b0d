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
