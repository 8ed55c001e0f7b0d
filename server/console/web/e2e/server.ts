import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const CLAVE = process.env['CLAVE_BIN'] ?? join(import.meta.dirname, '../../../../bin/clave')
const WAIT_MS = 20_000

/** Ports that are free now, all different. */
async function freePorts(n: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: n }, async () => {
      const server = createServer()
      await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
      return server
    }),
  )
  const ports = servers.map((server) => {
    const address = server.address()
    return typeof address === 'object' && address ? address.port : 0
  })
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))))
  return ports
}

/** Resolves when the program says that it is ready. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    const timer = setTimeout(() => reject(new Error(`clave is not ready: ${said}`)), WAIT_MS)
    const hear = (chunk: Buffer) => {
      said += chunk.toString()
      if (!said.includes('Clave ready')) return
      clearTimeout(timer)
      resolve()
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', (code) => reject(new Error(`clave ended with ${code}: ${said}`)))
  })
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
  }
}
`

/** Starts the built program for all tests, in a folder with rules of its own. */
export default async function server(): Promise<() => Promise<void>> {
  if (!existsSync(CLAVE)) throw new Error(`${CLAVE} is missing: build it, or name it in CLAVE_BIN`)
  const folder = await mkdtemp(join(tmpdir(), 'clave-console-'))
  const [firestore = 0, websocketPort = 0, auth = 0, ui = 0, hub = 0] = await freePorts(5)
  const emulators = { firestore: { port: firestore, websocketPort }, auth: { port: auth }, ui: { port: ui }, hub: { port: hub } }
  await writeFile(join(folder, 'firestore.rules'), RULES)
  await writeFile(join(folder, 'firestore.indexes.json'), JSON.stringify({ indexes: [], fieldOverrides: [] }))
  const project = { firestore: { rules: 'firestore.rules', indexes: 'firestore.indexes.json' }, emulators }
  await writeFile(join(folder, 'firebase.json'), JSON.stringify(project))
  const child = spawn(CLAVE, ['start', '--memory', '--project', 'demo-console'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true })
  }
  try {
    await ready(child)
  } catch (error) {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true })
    throw error
  }
  process.env['E2E_CONSOLE'] = `http://127.0.0.1:${ui}`
  process.env['E2E_FIRESTORE'] = `http://127.0.0.1:${firestore}`
  process.env['E2E_AUTH'] = `http://127.0.0.1:${auth}`
  return stop
}
