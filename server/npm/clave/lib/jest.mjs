import { shared } from './setup.js'

let stop

/** jest calls it at the start, as globalSetup, and at the end, as globalTeardown. */
export default async function setup() {
  if (stop) return stop()
  stop = await shared()
}
