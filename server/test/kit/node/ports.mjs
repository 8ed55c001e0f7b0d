// Free ports for the programs that the tests and scripts of the site, of the console and of the browsers start.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** A listener on a free port below the ephemeral range. A connection could take an ephemeral port before the program starts. */
async function listener() {
  for (;;) {
    const port = randomInt(12_000, 32_000)
    const server = createServer()
    const free = await new Promise((done) => server.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true)))
    if (free) return { port, close: () => new Promise((closed) => void server.close(closed)) }
  }
}

/**
 * Different free ports. They are held until all have been found.
 * @param {number} count
 * @returns {Promise<number[]>}
 */
export async function freePorts(count) {
  const held = []
  while (held.length < count) held.push(await listener())
  await Promise.all(held.map(({ close }) => close()))
  return held.map(({ port }) => port)
}
