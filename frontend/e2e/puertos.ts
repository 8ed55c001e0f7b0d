import type { ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'

/** So many ports that nobody listens on. They are held until all are found, so that no two are the same. */
export async function puertosLibres(cuantos: number): Promise<number[]> {
  const oyentes = await Promise.all(
    Array.from({ length: cuantos }, async () => {
      const oyente = createServer()
      await new Promise<void>((listo, fallo) => oyente.once('error', fallo).listen(0, '127.0.0.1', listo))
      return oyente
    }),
  )
  const puertos = oyentes.map((oyente) => {
    const direccion = oyente.address()
    return typeof direccion === 'object' && direccion ? direccion.port : 0
  })
  await Promise.all(oyentes.map((oyente) => new Promise((listo) => oyente.close(listo))))
  return puertos
}

/** Waits until a server answers, whatever it says, or says why it doesn't. */
export async function esperar(url: string, servidor: ChildProcess, segundos = 15): Promise<void> {
  for (let i = 0; i < segundos * 10; i++) {
    if (servidor.exitCode !== null) throw new Error(`${servidor.spawnfile} ended with ${servidor.exitCode}`)
    if (await fetch(url).catch(() => null)) return
    await new Promise((listo) => setTimeout(listo, 100))
  }
  throw new Error(`${url} does not answer`)
}

/** Ends programs and waits until they have. */
export async function terminar(programas: readonly ChildProcess[]): Promise<void> {
  const finales = programas
    .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    .map((programa) => new Promise((listo) => programa.once('exit', listo)))
  for (const programa of programas) programa.kill('SIGTERM')
  await Promise.all(finales)
}
