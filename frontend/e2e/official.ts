import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import { join } from 'node:path'
import { startMailServer } from './mail-server'
import { freePorts } from '../../server/test/kit/node/ports.mjs'
import { finish, waitFor } from '../../server/test/kit/node/programs.mjs'

/** The paths of Firebase's emulators, of the built site and of the project's files. */
type Request = { tools: string; jar: string; office: string; site: string; folder: string; project: object; rules: string }

/** A set of servers under one origin, and a function that stops it. */
export type Running = { addresses: Addresses; stop: () => Promise<void> }

/** The addresses of a set of servers: the site, the ports of Firestore and Auth, and the folder of the mail server's e-mails. */
type Addresses = { url: string; firestore: string; auth: string; mails: string }

/** The environment of a back office that uses them. */
export function officeEnv({ url, firestore, auth }: Addresses, mailPort: number): Record<string, string> {
  return {
    FIRESTORE_EMULATOR_HOST: firestore,
    FIREBASE_AUTH_EMULATOR_HOST: auth,
    MAIL_URL: `smtp://127.0.0.1:${mailPort}?from=boletin@ejemplo.org&insecure=1`,
    PUBLIC_URL: url,
  }
}

/** The ports of the servers under one origin, and the port of the origin. */
type Ports = Record<'hosting' | 'firestore' | 'auth' | 'office' | 'joined', number>

/**
 * The server that answers a path. The back office (firebase.json's run rewrites) and the data have their own paths;
 * hosting answers all others.
 */
function portOf(route: string, { hosting, firestore, auth, office }: Ports): number {
  if (/^\/(?:api\/|sitemap\.xml$|boletin\/(?:baja|confirmar)|imagenes\/|eventos\/[^/?]+(?:\?|$))/.test(route)) return office
  if (/^\/(v1|emulator|google\.firestore)/.test(route)) return firestore
  return /^\/(identitytoolkit|securetoken)\.googleapis\.com\//.test(route) ? auth : hosting
}

/** Serves everything on one origin, as Clave does, so that the same build is tested. */
async function connect(ports: Ports): Promise<Server> {
  const server = createServer((entry, exit) => {
    const { method, headers, url = '/' } = entry
    const step = request({ host: '127.0.0.1', port: portOf(url, ports), method, path: url, headers }, (answer) => {
      exit.writeHead(answer.statusCode ?? 502, answer.headers)
      // Headers are sent at once, because a stream is open before its first message.
      exit.flushHeaders()
      answer.pipe(exit)
    })
    step.on('error', () => (exit.headersSent ? exit.destroy() : exit.writeHead(502).end()))
    exit.on('close', () => step.destroy())
    entry.pipe(step)
  })
  await new Promise<void>((ready, failure) => server.once('error', failure).listen(ports.joined, '127.0.0.1', ready))
  return server
}

/** Starts Firestore's emulator from its jar, Auth and Hosting from firebase-tools, and the back office. */
export async function officials({ tools, jar, office, site, folder, project, rules }: Request): Promise<Running> {
  const [firestore = 0, auth = 0, hosting = 0, hub = 0, records = 0, officePort = 0, joined = 0, mailPort = 0] = await freePorts(8)
  const mails = join(folder, 'mails')
  const addresses = { url: `http://127.0.0.1:${joined}`, firestore: `127.0.0.1:${firestore}`, auth: `127.0.0.1:${auth}`, mails }
  const id = process.env['GCLOUD_PROJECT'] ?? 'demo-fundacion'
  const emulators = {
    auth: { port: auth },
    hosting: { port: hosting },
    hub: { port: hub },
    logging: { port: records },
    ui: { enabled: false },
  }
  await writeFile(join(folder, 'firebase.json'), JSON.stringify({ ...project, firestore: undefined, emulators }))
  const env = { ...process.env, ...officeEnv(addresses, mailPort) }
  const mailServer = await startMailServer(mails, mailPort)
  // The jar logs every request to standard error. firebase-tools writes a log into its folder.
  const run = (program: string, args: string[], errors: 'ignore' | 'inherit' = 'inherit'): ChildProcess =>
    spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'ignore', errors] })
  const className = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore'
  const programs = [
    run('java', ['-Xmx512m', '-cp', jar, className, 'start', '--host=127.0.0.1', `--port=${firestore}`, `--rules=${rules}`], 'ignore'),
    run(join(tools, 'node_modules/.bin/firebase'), ['emulators:start', '--only', 'auth,hosting', '--project', id]),
    run(office, ['-listen', `127.0.0.1:${officePort}`, '-project', id, '-site', site]),
  ]
  const [emulator, suite, backOffice] = programs
  const bridge = await connect({ hosting, firestore, auth, office: officePort, joined })
  const stop = async () => {
    bridge.closeAllConnections()
    bridge.close()
    mailServer.close()
    await finish(programs)
  }
  try {
    if (emulator) await waitFor(`http://127.0.0.1:${firestore}/`, emulator, 60)
    if (suite) await waitFor(`http://127.0.0.1:${hosting}/`, suite, 60)
    if (suite) await waitFor(`http://127.0.0.1:${auth}/`, suite, 60)
    if (backOffice) await waitFor(`http://127.0.0.1:${officePort}/`, backOffice)
  } catch (failure) {
    await stop()
    throw failure
  }
  return { addresses, stop }
}
