import { P } from '../lib/palette.mjs'

/** Tambora: the two-headed drum of merengue, lying on its side, 240 × 150. */
export const tambora = (colour = P.coral, skin = P.crema) => ({
  fill: `<path d="M-100-62C-60-78 60-78 100-62V66C60 82-60 82-100 66Z" fill="${colour}"/><ellipse cx="-100" cy="2" rx="24" ry="65" fill="${skin}"/>`,
  line:
    '<path d="M-100-62C-60-78 60-78 100-62C126-40 126 46 100 66C60 82-60 82-100 66"/><ellipse cx="-100" cy="2" rx="25" ry="65"/>' +
    '<path thin d="M-76-4-44-73-10 78 24-75 58 78 92-64"/><path thin d="M100-62C122-36 122 40 100 66"/>',
})
