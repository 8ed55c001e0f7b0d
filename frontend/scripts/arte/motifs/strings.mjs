import { P } from '../lib/palette.mjs'

const BODY = 'M0-96C30-98 50-78 50-52C50-34 40-28 36-16C32-6 36 4 44 14C56 28 66 42 66 64C66 100 36 116 0 116S-66 100-66 64C-66 42-56 28-44 14C-36 4-32-6-36-16C-40-28-50-34-50-52C-50-78-30-98 0-96Z'

/** A member of the violin family, upright, 140 × 400 with its scroll; scale makes it violin, cello or bass. */
export const violin = (wood = P.coral, { spike = false } = {}) => ({
  fill: `<path d="${BODY}" fill="${wood}"/><path d="M-9-100-7-236h14L9-100Z" fill="${P.tinta}"/>`,
  line:
    `<path d="${BODY}"/><path bare d="M-10-96-8-236h16l2 140"/><path bare d="M-8-236c-16-4-18-30 2-32 16 0 18 20 4 22M8-236c6-8 8-18 4-28"/><path bare d="M-8-222h-14M8-214h14M-8-206h-14"/>` +
    '<path thin d="M-28 12C-22 4-18 12-22 24S-36 46-30 52M28 12C22 4 18 12 22 24S36 46 30 52"/><path d="M-22 40h44"/><path d="M-10 66h20l6 34h-32Z" solid/>' +
    `<path thin d="M-4-96V66M4-96V66"/>${spike ? '<path bare d="M0 116v40"/>' : ''}`,
})

/** A bow, lying along x, 300 long. */
export const bow = () => ({
  fill: `<path d="M118 0h24v14h-24Z" fill="${P.sol}"/>`,
  line: '<path d="M-150 4C-100-14 60-8 142 0v12h-26"/><path thin d="M-150 4 116 12"/><path d="M-150 4v8"/>',
})
