import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import { join } from 'node:path'
import { esperar, puertosLibres, terminar } from './puertos'

/** What Firebase's own emulators need: where they lie, where the built site and the project's files are. */
type Pedido = { herramientas: string; jar: string; oficina: string; sitio: string; carpeta: string; proyecto: object; reglas: string }

/** One set of servers under one origin, and how to end it. */
export type Marcha = { direcciones: { url: string; firestore: string; auth: string }; parar: () => Promise<void> }

/** Which of the servers answers a path: the back office (firebase.json's run rewrites) and the data have their own, all else is the hosting's. */
function puertoDe(ruta: string, { hosting, firestore, auth, oficina }: Record<string, number>): number | undefined {
  if (/^\/(?:api\/|sitemap\.xml$|boletin\/baja|eventos\/[^/?]+(?:\?|$))/.test(ruta)) return oficina
  if (/^\/(v1|emulator|google\.firestore)/.test(ruta)) return firestore
  return /^\/(identitytoolkit|securetoken)\.googleapis\.com\//.test(ruta) ? auth : hosting
}

/** Everything on one origin, as Clave serves it, so that the very same build is tested. */
async function unir(puertos: Record<string, number>): Promise<Server> {
  const servidor = createServer((entrada, salida) => {
    const { method, headers, url = '/' } = entrada
    const paso = request({ host: '127.0.0.1', port: puertoDe(url, puertos), method, path: url, headers }, (respuesta) => {
      salida.writeHead(respuesta.statusCode ?? 502, respuesta.headers)
      // Headers go at once: a stream that has nothing to tell yet is open all the same.
      salida.flushHeaders()
      respuesta.pipe(salida)
    })
    paso.on('error', () => (salida.headersSent ? salida.destroy() : salida.writeHead(502).end()))
    salida.on('close', () => paso.destroy())
    entrada.pipe(paso)
  })
  await new Promise<void>((listo, fallo) => servidor.once('error', fallo).listen(puertos['unido'], '127.0.0.1', listo))
  return servidor
}

/** Starts Firestore's emulator from its jar, those of Auth and Hosting from firebase-tools, and the back office beside them. */
export async function oficiales({ herramientas, jar, oficina, sitio, carpeta, proyecto, reglas }: Pedido): Promise<Marcha> {
  const [firestore = 0, auth = 0, hosting = 0, hub = 0, registros = 0, puertoOficina = 0, unido = 0] = await puertosLibres(7)
  const direcciones = { url: `http://127.0.0.1:${unido}`, firestore: `127.0.0.1:${firestore}`, auth: `127.0.0.1:${auth}` }
  const id = process.env['GCLOUD_PROJECT'] ?? 'demo-fundacion'
  const emulators = {
    auth: { port: auth },
    hosting: { port: hosting },
    hub: { port: hub },
    logging: { port: registros },
    ui: { enabled: false },
  }
  await writeFile(join(carpeta, 'firebase.json'), JSON.stringify({ ...proyecto, firestore: undefined, emulators }))
  const env = { ...process.env, FIRESTORE_EMULATOR_HOST: direcciones.firestore, FIREBASE_AUTH_EMULATOR_HOST: direcciones.auth }
  // The jar tells of every request on its error stream; firebase-tools keeps a log in its folder.
  const correr = (programa: string, argumentos: string[], errores: 'ignore' | 'inherit' = 'inherit'): ChildProcess =>
    spawn(programa, argumentos, { cwd: carpeta, env, stdio: ['ignore', 'ignore', errores] })
  const clase = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore'
  const programas = [
    correr('java', ['-Xmx512m', '-cp', jar, clase, 'start', '--host=127.0.0.1', `--port=${firestore}`, `--rules=${reglas}`], 'ignore'),
    correr(join(herramientas, 'node_modules/.bin/firebase'), ['emulators:start', '--only', 'auth,hosting', '--project', id]),
    correr(oficina, ['-listen', `127.0.0.1:${puertoOficina}`, '-project', id, '-site', sitio]),
  ]
  const [datos, casa, puerta] = programas
  const puente = await unir({ hosting, firestore, auth, oficina: puertoOficina, unido })
  const parar = async () => {
    puente.closeAllConnections()
    puente.close()
    await terminar(programas)
  }
  try {
    if (datos) await esperar(`http://127.0.0.1:${firestore}/`, datos, 60)
    if (casa) await esperar(`http://127.0.0.1:${hosting}/`, casa, 60)
    if (casa) await esperar(`http://127.0.0.1:${auth}/`, casa, 60)
    if (puerta) await esperar(`http://127.0.0.1:${puertoOficina}/`, puerta)
  } catch (fallo) {
    await parar()
    throw fallo
  }
  return { direcciones, parar }
}
