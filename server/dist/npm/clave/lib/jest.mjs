import { shared } from './setup.js'

let stop

/** The function is globalSetup at the start and globalTeardown at the end. */
export default async function setup() {
  if (stop) return stop()
  stop = await shared()
}
