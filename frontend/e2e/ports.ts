import type { ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'

/** So many ports that nobody listens on. They are held until all are found, so that no two are the same. */
export async function freePorts(count: number): Promise<number[]> {
  const listeners = await Promise.all(
    Array.from({ length: count }, async () => {
      const listener = createServer()
      await new Promise<void>((ready, failure) => listener.once('error', failure).listen(0, '127.0.0.1', ready))
      return listener
    }),
  )
  const ports = listeners.map((listener) => {
    const address = listener.address()
    return typeof address === 'object' && address ? address.port : 0
  })
  await Promise.all(listeners.map((listener) => new Promise((ready) => listener.close(ready))))
  return ports
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
