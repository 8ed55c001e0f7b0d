import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import type { FullConfig } from '@playwright/test'

const RAIZ = join(import.meta.dirname, '../..')
const CLAVE = process.env['CLAVE_BIN'] ?? join(RAIZ, 'bin/clave')
/** The built site. */
export const SITIO = resolve(RAIZ, 'frontend', process.env['SITIO_DIST'] || 'dist')

/** So many ports that nobody listens on. They are held until all are found, so that no two are the same. */
async function puertosLibres(cuantos: number): Promise<number[]> {
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

/** A copy of firebase.json with its own ports and paths that lead back here. */
async function configurar(carpeta: string, [hosting = 0, firestore = 0, websocketPort = 0, auth = 0, ui = 0]: number[]) {
  const proyecto: unknown = JSON.parse(await readFile(join(RAIZ, 'firebase.json'), 'utf8'))
  if (typeof proyecto !== 'object' || proyecto === null || !('hosting' in proyecto)) throw new Error('firebase.json has no hosting')
  const desde = (ruta: string) => relative(carpeta, resolve(RAIZ, ruta))
  const archivo = join(carpeta, 'firebase.json')
  const texto = {
    ...proyecto,
    hosting: { ...Object(proyecto.hosting), public: desde(SITIO) },
    firestore: { rules: desde('firestore.rules'), indexes: desde('firestore.indexes.json') },
    emulators: { hosting: { port: hosting }, firestore: { port: firestore, websocketPort }, auth: { port: auth }, ui: { port: ui } },
  }
  await writeFile(archivo, JSON.stringify(texto))
  return { archivo, url: `http://127.0.0.1:${hosting}`, firestore: `127.0.0.1:${firestore}`, auth: `127.0.0.1:${auth}` }
}

/** Waits until the server answers, or says why it doesn't. */
async function esperar(url: string, servidor: ChildProcess): Promise<void> {
  for (let i = 0; i < 150; i++) {
    if (servidor.exitCode !== null) throw new Error(`clave ended with ${servidor.exitCode}`)
    const respuesta = await fetch(url).catch(() => null)
    if (respuesta?.ok) return
    await new Promise((listo) => setTimeout(listo, 100))
  }
  throw new Error(`${url} does not answer`)
}

/** Starts a server for each worker and answers how to stop them; with BASE_URL there is one already. */
export default async function servidores(config: FullConfig): Promise<() => Promise<void>> {
  if (process.env['BASE_URL']) return () => Promise.resolve()
  for (const hecho of [CLAVE, join(SITIO, 'index.html')]) {
    if (!existsSync(hecho)) throw new Error(`${hecho} is missing: build the server and the site first, or give BASE_URL`)
  }
  process.env['ADMIN_SIGNUP_CODE'] ??= 'demo-codigo-fundacion'
  process.env['GCLOUD_PROJECT'] ??= 'demo-fundacion'
  const carpeta = await mkdtemp(join(tmpdir(), 'clave-e2e-'))
  const puertos = await puertosLibres(5 * config.workers)
  const marchas = await Promise.all(
    Array.from({ length: config.workers }, async (_, i) => {
      const propia = await mkdtemp(join(carpeta, 'servidor-'))
      const { archivo, ...direcciones } = await configurar(propia, puertos.slice(i * 5, i * 5 + 5))
      const servidor = spawn(CLAVE, ['start', '--memory', '--config', archivo], { stdio: ['ignore', 'ignore', 'inherit'] })
      await esperar(direcciones.url, servidor)
      return { servidor, direcciones }
    }),
  )
  process.env['E2E_SERVIDORES'] = JSON.stringify(marchas.map(({ direcciones }) => direcciones))
  return async () => {
    const finales = marchas.map(({ servidor }) => new Promise((listo) => servidor.once('exit', listo)))
    for (const { servidor } of marchas) servidor.kill('SIGTERM')
    await Promise.all(finales)
    await rm(carpeta, { recursive: true })
  }
}
