import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** A listener on a free port below the ephemeral ones, which a connection could take before the server starts. */
async function listener(): Promise<{ port: number; close: () => Promise<void> }> {
  for (;;) {
    const port = randomInt(12_000, 32_000)
    const server = createServer()
    const free = await new Promise((done) => server.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true)))
    if (free) return { port, close: () => new Promise((closed) => void server.close(() => closed())) }
  }
}

/** Free ports, all different: they are held until all are found. */
export async function freePorts(count: number): Promise<number[]> {
  const held = []
  while (held.length < count) held.push(await listener())
  await Promise.all(held.map(({ close }) => close()))
  return held.map(({ port }) => port)
}

/** Waits until a server answers, whatever it says, or says why it doesn't. */
export async function waitFor(url: string, server: ChildProcess, seconds = 15): Promise<void> {
  for (let i = 0; i < seconds * 10; i++) {
    if (server.exitCode !== null) throw new Error(`${server.spawnfile} ended with ${server.exitCode}`)
    if (await fetch(url).catch(() => null)) return
    await new Promise((ready) => setTimeout(ready, 100))
  }
  throw new Error(`${url} does not answer`)
}

/** Ends programs and waits until they have. */
export async function finish(programas: readonly ChildProcess[]): Promise<void> {
  const endings = programas
    .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    .map((program) => new Promise((ready) => program.once('exit', ready)))
  for (const program of programas) program.kill('SIGTERM')
  await Promise.all(endings)
}
