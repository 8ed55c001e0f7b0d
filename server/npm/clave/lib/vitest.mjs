import { shared } from './setup.js'

/** vitest calls it once and, at the end, what it returns. */
export default shared
