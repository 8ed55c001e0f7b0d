import { shared } from './setup.js'

/** The globalSetup of Playwright. It returns the teardown. */
export default shared
