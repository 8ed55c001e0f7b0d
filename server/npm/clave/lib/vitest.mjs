import { shared } from './setup.mjs'

/** vitest calls it once and, at the end, what it returns. */
export default shared
