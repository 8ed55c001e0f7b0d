import { shared } from './setup.js'

/** The globalSetup of Vitest. It returns the teardown. */
export default shared
