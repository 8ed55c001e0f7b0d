import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { FullConfig } from '@playwright/test'
import { freePorts } from '../../../../test/kit/node/ports.mjs'
import { finish, ready } from '../../../../test/kit/node/programs.mjs'

export const CLAVE = process.env['CLAVE_BIN'] ?? join(import.meta.dirname, '../../../../../bin/clave')
/** Starts the built program in a folder of its own with some files, and returns a function that stops it. */
async function run(folder: string, files: Record<string, string>, args: string[]): Promise<() => Promise<void>> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const child = spawn(CLAVE, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    await ready(child)
  } catch (error) {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true })
    throw error
  }
  return async () => {
    await finish([child])
    await rm(folder, { recursive: true })
  }
}

const RULES = `rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /notes/{id} {
      allow read: if resource.data.open == true;
      allow create: if request.auth != null
        && request.resource.data.title.size() > 0;
    }
    match /open/{id} {
      allow read, write: if true;
    }
    match /looked/{id} {
      allow read: if exists(/databases/$(database)/documents/members/$(request.auth.uid));
    }
  }
}
`

/** The servers of a worker: their origins, and the folders of their configuration. */
export type Servers = {
  console: string
  firestore: string
  auth: string
  site: string
  folder: string
  served: string
  servedFolder: string
}

/** The servers of this worker. */
export function servers(): Servers {
  const none = { console: '', firestore: '', auth: '', site: '', folder: '', served: '', servedFolder: '' }
  const all: unknown = JSON.parse(process.env['E2E_SERVERS'] ?? '[]')
  const mine: unknown = Array.isArray(all) ? all[Number(process.env['TEST_PARALLEL_INDEX'] ?? 0)] : null
  return typeof mine === 'object' && mine ? { ...none, ...mine } : none
}

type Started<T> = { origins: T; stop: () => Promise<void> }

/** Writes a site that shows who is signed in, with the Firebase SDK as it is published. */
async function writeSite(folder: string, auth: number): Promise<void> {
  const sdk = join(import.meta.dirname, '../node_modules/firebase')
  await mkdir(folder)
  for (const name of ['firebase-app.js', 'firebase-auth.js']) {
    const text = await readFile(join(sdk, name), 'utf8')
    await writeFile(join(folder, name), text.replaceAll(/https:\/\/www\.gstatic\.com\/firebasejs\/[^/]+\//g, './'))
  }
  const script = `import { initializeApp } from './firebase-app.js'
import { connectAuthEmulator, getAuth, onAuthStateChanged } from './firebase-auth.js'
const auth = getAuth(initializeApp({ apiKey: 'the-site-s-key', projectId: 'demo-console' }))
connectAuthEmulator(auth, 'http://127.0.0.1:${auth}', { disableWarnings: true })
onAuthStateChanged(auth, async (user) => {
  document.querySelector('p').textContent = user ? user.uid + ' ' + user.email + ' ' + (await user.getIdTokenResult()).claims.role : 'nobody'
})
`
  await writeFile(join(folder, 'site.js'), script)
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Site</title><p></p><script type="module" src="/site.js"></script>')
}

/** Starts the program for development, with composite indexes enforced. */
async function development(): Promise<Started<Omit<Servers, 'served' | 'servedFolder'>>> {
  const folder = await mkdtemp(join(tmpdir(), 'clave-console-'))
  const [firestore = 0, websocketPort = 0, auth = 0, ui = 0, hub = 0, site = 0] = await freePorts(6)
  const emulators = {
    firestore: { port: firestore, websocketPort },
    auth: { port: auth },
    ui: { port: ui },
    hub: { port: hub },
    hosting: { port: site },
  }
  await writeSite(join(folder, 'public'), auth)
  const files = {
    'firestore.rules': RULES,
    'firestore.indexes.json': JSON.stringify({ indexes: [], fieldOverrides: [] }),
    'firebase.json': JSON.stringify({
      firestore: { rules: 'firestore.rules', indexes: 'firestore.indexes.json' },
      hosting: { public: 'public' },
      emulators,
    }),
  }
  const stop = await run(folder, files, ['start', '--memory', '--project', 'demo-console', '--indexes', 'enforce'])
  const at = (port: number) => `http://127.0.0.1:${port}`
  return { origins: { console: at(ui), firestore: at(firestore), auth: at(auth), site: at(site), folder }, stop }
}

/** Starts the program for production, with a separate listener for the console. */
async function production(): Promise<Started<Pick<Servers, 'served' | 'servedFolder'>>> {
  const folder = await mkdtemp(join(tmpdir(), 'clave-served-'))
  const [port = 0, consolePort = 0] = await freePorts(2)
  const files = {
    'firestore.rules': RULES,
    'firebase.json': JSON.stringify({ firestore: { rules: 'firestore.rules' } }),
    // Nothing listens at this address: each event becomes a dead letter at once.
    'events.json': JSON.stringify({
      triggers: [{ name: 'order-mails', event: 'written', document: 'orders/{id}', url: 'http://127.0.0.1:9/', attempts: 1 }],
    }),
  }
  const keys = join(folder, 'secret.keys')
  await writeFile(keys, randomBytes(32).toString('base64'), { mode: 0o600 })
  const origin = `http://127.0.0.1:${port}`
  const args = ['serve', '--project', 'console-served', '--port', String(port), '--public-url', origin]
  const parts = [
    '--console',
    `127.0.0.1:${consolePort}`,
    '--events',
    'events.json',
    '--backup-to',
    join(folder, 'backups'),
    '--secret-key-file',
    keys,
    '--app-check',
    'firestore=count',
  ]
  const stop = await run(folder, files, [...args, ...parts, '--data', join(folder, 'data')])
  return { origins: { served: `http://127.0.0.1:${consolePort}`, servedFolder: folder }, stop }
}

/** A link to the console of the production server. */
export async function link(write: boolean): Promise<string> {
  const folder = servers().servedFolder
  const args = ['console', '--data', join(folder, 'data'), `--write=${write}`]
  return (await promisify(execFile)(CLAVE, args, { cwd: folder })).stdout.trim()
}

/** Starts both servers for each worker. */
export default async function start(config: FullConfig): Promise<() => Promise<void>> {
  if (!existsSync(CLAVE)) throw new Error(`${CLAVE} is missing: build it, or name it in CLAVE_BIN`)
  const stops: (() => Promise<void>)[] = []
  const stop = async () => void (await Promise.all(stops.map((one) => one())))
  const all: Servers[] = []
  try {
    while (all.length < config.workers) {
      const developing = await development()
      stops.push(developing.stop)
      const serving = await production()
      stops.push(serving.stop)
      all.push({ ...developing.origins, ...serving.origins })
    }
  } catch (error) {
    await stop()
    throw error
  }
  process.env['E2E_SERVERS'] = JSON.stringify(all)
  return stop
}
