import { shared } from './setup.js'

/** Playwright calls it once and, at the end, what it returns. */
export default shared
