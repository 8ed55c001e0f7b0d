import type { ChildProcess } from 'node:child_process'

/** Waits until a server responds with any status. Throws with the reason if it does not. */
export async function waitFor(url: string, server: ChildProcess, seconds = 15): Promise<void> {
  for (let i = 0; i < seconds * 10; i++) {
    if (server.exitCode !== null) throw new Error(`${server.spawnfile} ended with ${server.exitCode}`)
    if (await fetch(url).catch(() => null)) return
    await new Promise((ready) => setTimeout(ready, 100))
  }
  throw new Error(`${url} does not answer`)
}

/** Ends programs and waits for their end. */
export async function finish(programs: readonly ChildProcess[]): Promise<void> {
  const endings = programs
    .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    .map((program) => new Promise((ready) => program.once('exit', ready)))
  for (const program of programs) program.kill('SIGTERM')
  await Promise.all(endings)
}
