// Starting and ending programs in the tests and scripts of the site, of the console and of the browsers.

const WAIT_MS = 60_000

/**
 * Resolves when a program has printed a text. Throws with what it printed if it ends before, or after a minute.
 * @param {import('node:child_process').ChildProcess} program
 * @param {string} [text]
 * @returns {Promise<void>}
 */
export function ready(program, text = 'Clave ready') {
  return new Promise((resolve, reject) => {
    let said = ''
    const timer = setTimeout(() => reject(new Error(`${program.spawnfile} is not ready: ${said}`)), WAIT_MS)
    const hear = (/** @type {Buffer} */ chunk) => {
      said += chunk.toString()
      if (!said.includes(text)) return
      stop()
      resolve()
    }
    const stop = () => {
      clearTimeout(timer)
      program.off('exit', ended)
      // The later output is read, and discarded: a full pipe would stop the program.
      for (const output of [program.stdout, program.stderr]) output?.off('data', hear).resume()
    }
    const ended = (/** @type {number | null} */ code) => {
      stop()
      reject(new Error(`${program.spawnfile} ended with ${code}: ${said}`))
    }
    program.stdout?.on('data', hear)
    program.stderr?.on('data', hear)
    program.once('exit', ended)
  })
}

/**
 * Waits until a server responds with any status. Throws with the reason if it does not.
 * @param {string} url
 * @param {import('node:child_process').ChildProcess} server
 * @param {number} [seconds]
 * @returns {Promise<void>}
 */
export async function waitFor(url, server, seconds = 15) {
  for (let i = 0; i < seconds * 10; i++) {
    if (server.exitCode !== null) throw new Error(`${server.spawnfile} ended with ${server.exitCode}`)
    if (await fetch(url).catch(() => null)) return
    await new Promise((next) => setTimeout(next, 100))
  }
  throw new Error(`${url} does not answer`)
}

/**
 * Ends programs and waits for their end.
 * @param {readonly import('node:child_process').ChildProcess[]} programs
 * @returns {Promise<void>}
 */
export async function finish(programs) {
  const endings = programs
    .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    .map((program) => new Promise((ended) => program.once('exit', ended)))
  for (const program of programs) program.kill('SIGTERM')
  await Promise.all(endings)
}
