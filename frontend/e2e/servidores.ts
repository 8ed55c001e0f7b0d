import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import type { FullConfig } from '@playwright/test'
import { type Marcha, oficiales } from './oficiales'
import { esperar, puertosLibres, terminar } from './puertos'

const RAIZ = join(import.meta.dirname, '../..')
const CLAVE = process.env['CLAVE_BIN'] ?? join(RAIZ, 'bin/clave')
const OFICINA = process.env['BACKOFFICE_BIN'] ?? join(RAIZ, 'bin/backoffice')
/** The built site. */
export const SITIO = resolve(RAIZ, 'frontend', process.env['SITIO_DIST'] || 'dist')

/** firebase.json with paths that lead back here from a folder. */
async function proyectoPara(carpeta: string): Promise<object> {
  const proyecto: unknown = JSON.parse(await readFile(join(RAIZ, 'firebase.json'), 'utf8'))
  if (typeof proyecto !== 'object' || proyecto === null || !('hosting' in proyecto)) throw new Error('firebase.json has no hosting')
  const desde = (ruta: string) => relative(carpeta, resolve(RAIZ, ruta))
  return {
    ...proyecto,
    hosting: { ...Object(proyecto.hosting), public: desde(SITIO) },
    firestore: { rules: desde('firestore.rules'), indexes: desde('firestore.indexes.json') },
  }
}

/** Starts Clave, and the back office that it passes its paths on to. */
async function clave(carpeta: string): Promise<Marcha> {
  const [hosting = 0, firestore = 0, websocketPort = 0, auth = 0, ui = 0, puertoOficina = 0] = await puertosLibres(6)
  const emulators = { hosting: { port: hosting }, firestore: { port: firestore, websocketPort }, auth: { port: auth }, ui: { port: ui } }
  const archivo = join(carpeta, 'firebase.json')
  await writeFile(archivo, JSON.stringify({ ...(await proyectoPara(carpeta)), emulators }))
  const direcciones = { url: `http://127.0.0.1:${hosting}`, firestore: `127.0.0.1:${firestore}`, auth: `127.0.0.1:${auth}` }
  const env = { ...process.env, FIRESTORE_EMULATOR_HOST: direcciones.firestore, FIREBASE_AUTH_EMULATOR_HOST: direcciones.auth }
  const donde = `127.0.0.1:${puertoOficina}`
  const oficina = spawn(OFICINA, ['--listen', donde, '--proxy-hops', '1', '--site', SITIO], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const argumentos = ['start', '--memory', '--config', archivo, '--service', `backoffice=http://${donde}`]
  const servidor = spawn(CLAVE, argumentos, { stdio: ['ignore', 'ignore', 'inherit'] })
  const parar = () => terminar([servidor, oficina])
  try {
    await esperar(direcciones.url, servidor)
    await esperar(`http://${donde}`, oficina)
  } catch (fallo) {
    await parar()
    throw fallo
  }
  return { direcciones, parar }
}

/** Starts the official emulators, which lie in the folder and the jar that `make test-official` names. */
async function losOficiales(carpeta: string, herramientas: string): Promise<Marcha> {
  return oficiales({
    herramientas,
    jar: process.env['FIRESTORE_JAR'] ?? '',
    oficina: OFICINA,
    sitio: SITIO,
    carpeta,
    proyecto: await proyectoPara(carpeta),
    reglas: join(RAIZ, 'firestore.rules'),
  })
}

/** Starts servers for each worker and answers how to stop them; with BASE_URL there are some already. */
export default async function servidores(config: FullConfig): Promise<() => Promise<void>> {
  if (process.env['BASE_URL']) return () => Promise.resolve()
  const herramientas = process.env['E2E_OFICIALES']
  for (const hecho of [herramientas ?? CLAVE, OFICINA, join(SITIO, 'index.html')]) {
    if (!existsSync(hecho)) throw new Error(`${hecho} is missing: build the server and the site first, or give BASE_URL`)
  }
  process.env['ADMIN_SIGNUP_CODE'] ??= 'demo-codigo-fundacion'
  process.env['GCLOUD_PROJECT'] ??= 'demo-fundacion'
  const carpeta = await mkdtemp(join(tmpdir(), 'clave-e2e-'))
  const marchas: Marcha[] = []
  const parar = async () => {
    await Promise.all(marchas.map((marcha) => marcha.parar()))
    await rm(carpeta, { recursive: true })
  }
  try {
    // One after the other: a port that is free now is taken before the next is looked for.
    for (let i = 0; i < config.workers; i++) {
      const propia = await mkdtemp(join(carpeta, 'servidor-'))
      marchas.push(await (herramientas ? losOficiales(propia, herramientas) : clave(propia)))
    }
  } catch (fallo) {
    await parar()
    throw fallo
  }
  process.env['E2E_SERVIDORES'] = JSON.stringify(marchas.map(({ direcciones }) => direcciones))
  return parar
}
