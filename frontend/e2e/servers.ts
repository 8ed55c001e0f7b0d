import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import type { FullConfig } from '@playwright/test'
import { officeEnv, type Running, officials } from './official'
import { startMailServer } from './mail-server'
import { freePorts } from '../../server/test/kit/node/ports.mjs'
import { finish, waitFor } from '../../server/test/kit/node/programs.mjs'

const ROOT = join(import.meta.dirname, '../..')
const CLAVE = process.env['CLAVE_BIN'] ?? join(ROOT, 'bin/clave')
const OFFICE = process.env['BACKOFFICE_BIN'] ?? join(ROOT, 'bin/backoffice')
/** The folder of the built site. */
export const SITE = resolve(ROOT, 'frontend', process.env['SITE_DIST'] || 'dist')

/** firebase.json with paths relative to another folder. */
async function projectFor(folder: string): Promise<object> {
  const project: unknown = JSON.parse(await readFile(join(ROOT, 'firebase.json'), 'utf8'))
  if (typeof project !== 'object' || project === null || !('hosting' in project)) throw new Error('firebase.json has no hosting')
  const from = (route: string) => relative(folder, resolve(ROOT, route))
  return {
    ...project,
    hosting: { ...Object(project.hosting), public: from(SITE) },
    firestore: { rules: from('firestore.rules'), indexes: from('firestore.indexes.json') },
  }
}

/** Starts Clave and the back office to which it forwards. */
async function key(folder: string): Promise<Running> {
  const [hosting = 0, firestore = 0, websocketPort = 0, auth = 0, ui = 0, officePort = 0, mailPort = 0] = await freePorts(7)
  const emulators = { hosting: { port: hosting }, firestore: { port: firestore, websocketPort }, auth: { port: auth }, ui: { port: ui } }
  const file = join(folder, 'firebase.json')
  await writeFile(file, JSON.stringify({ ...(await projectFor(folder)), emulators }))
  const mails = join(folder, 'mails')
  const addresses = { url: `http://127.0.0.1:${hosting}`, firestore: `127.0.0.1:${firestore}`, auth: `127.0.0.1:${auth}`, mails }
  const env = { ...process.env, ...officeEnv(addresses, mailPort) }
  const mailServer = await startMailServer(mails, mailPort)
  const where = `127.0.0.1:${officePort}`
  const office = spawn(OFFICE, ['--listen', where, '--proxy-hops', '1', '--site', SITE], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const args = ['start', '--memory', '--config', file, '--service', `backoffice=http://${where}`]
  const server = spawn(CLAVE, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const stop = async () => {
    await finish([server, office])
    mailServer.close()
  }
  try {
    await waitFor(addresses.url, server)
    await waitFor(`http://${where}`, office)
  } catch (failure) {
    await stop()
    throw failure
  }
  return { addresses, stop }
}

/** Starts the official emulators from the folder and the jar named by `make test-official`. */
async function official(folder: string, tools: string): Promise<Running> {
  return officials({
    tools,
    jar: process.env['FIRESTORE_JAR'] ?? '',
    office: OFFICE,
    site: SITE,
    folder,
    project: await projectFor(folder),
    rules: join(ROOT, 'firestore.rules'),
  })
}

/** Starts servers for each worker and returns a function that stops them. With BASE_URL it uses running ones. */
export default async function servers(config: FullConfig): Promise<() => Promise<void>> {
  if (process.env['BASE_URL']) return () => Promise.resolve()
  const tools = process.env['E2E_OFFICIAL']
  for (const fact of [tools ?? CLAVE, OFFICE, join(SITE, 'index.html')]) {
    if (!existsSync(fact)) throw new Error(`${fact} is missing: build the server and the site first, or give BASE_URL`)
  }
  process.env['ADMIN_SIGNUP_CODE'] ??= 'demo-codigo-fundacion'
  process.env['GCLOUD_PROJECT'] ??= 'demo-fundacion'
  const folder = await mkdtemp(join(tmpdir(), 'clave-e2e-'))
  const runs: Running[] = []
  const stop = async () => {
    await Promise.all(runs.map((running) => running.stop()))
    await rm(folder, { recursive: true })
  }
  try {
    // One after another: a free port is taken before the next one is chosen.
    for (let i = 0; i < config.workers; i++) {
      const own = await mkdtemp(join(folder, 'server-'))
      runs.push(await (tools ? official(own, tools) : key(own)))
    }
  } catch (failure) {
    await stop()
    throw failure
  }
  process.env['E2E_SERVERS'] = JSON.stringify(runs.map(({ addresses }) => addresses))
  return stop
}
