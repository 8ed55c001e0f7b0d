import { shared } from './setup.mjs'

/** Playwright calls it once and, at the end, what it returns. */
export default shared
