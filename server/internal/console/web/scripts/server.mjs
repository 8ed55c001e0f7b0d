// Starts the built program (CLAVE_BIN) in a new folder, for pictures and measurements.
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../../../test/kit/node/ports.mjs'
import { finish, ready } from '../../../../test/kit/node/programs.mjs'

const CLAVE = process.env.CLAVE_BIN ?? join(import.meta.dirname, '../../../../../bin/clave')

/** Runs `clave start` with rules; returns the ports and a function that stops it. */
export async function start(project, rules) {
  const folder = await mkdtemp(join(tmpdir(), 'clave-look-'))
  const [firestore, websocketPort, auth, ui, hub] = await freePorts(5)
  const emulators = { firestore: { port: firestore, websocketPort }, auth: { port: auth }, ui: { port: ui }, hub: { port: hub } }
  await writeFile(join(folder, 'firestore.rules'), rules)
  await writeFile(join(folder, 'firebase.json'), JSON.stringify({ firestore: { rules: 'firestore.rules' }, emulators }))
  const child = spawn(CLAVE, ['start', '--memory', '--project', project], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  await ready(child)
  const stop = async () => {
    await finish([child])
    await rm(folder, { recursive: true })
  }
  return { firestore, auth, ui, stop }
}

/** Posts JSON as an administrator. */
export async function post(url, body) {
  const headers = { authorization: 'Bearer owner', 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url}: ${await response.text()}`)
  return response.json()
}

/** The browser's launch options. */
export const BROWSER = { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] }
