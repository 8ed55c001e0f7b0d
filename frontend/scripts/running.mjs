import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { freePorts } from '../../server/test/kit/node/ports.mjs'
import { finish, ready, waitFor } from '../../server/test/kit/node/programs.mjs'

const ROOT = join(import.meta.dirname, '../..')
const CLAVE = process.env.CLAVE_BIN ?? join(ROOT, 'bin/clave')
const BACKOFFICE = process.env.BACKOFFICE_BIN ?? join(ROOT, 'bin/backoffice')
const SITE = resolve(ROOT, 'frontend', process.env.SITE_DIST || 'dist')

/** A copy of firebase.json in its own folder, with free ports and paths relative to that folder. */
async function configuration(folder) {
  const project = JSON.parse(await readFile(join(ROOT, 'firebase.json'), 'utf8'))
  const from = (path) => relative(folder, join(ROOT, path))
  project.hosting.public = relative(folder, SITE)
  project.firestore = { rules: from(project.firestore.rules), indexes: from(project.firestore.indexes) }
  const ports = Object.values(project.emulators).flatMap((part) =>
    ['port', 'websocketPort'].filter((key) => part[key]).map((key) => ({ part, key })),
  )
  const [officePort, ...free] = await freePorts(ports.length + 1)
  for (const [i, { part, key }] of ports.entries()) part[key] = free[i]
  const file = join(folder, 'firebase.json')
  await writeFile(file, JSON.stringify(project))
  const { hosting, firestore, auth } = project.emulators
  return {
    file,
    office: `127.0.0.1:${officePort}`,
    url: `http://127.0.0.1:${hosting.port}`,
    hosts: { FIRESTORE_EMULATOR_HOST: `127.0.0.1:${firestore.port}`, FIREBASE_AUTH_EMULATOR_HOST: `127.0.0.1:${auth.port}` },
  }
}

/** Starts a program. */
const start = (program, flags, env) => spawn(program, flags, { env, stdio: ['ignore', 'pipe', 'inherit'] })

/** The paths of the public pages in the build's sitemap. */
export async function publicPages(base) {
  const map = await fetch(`${base}/sitemap-paginas.xml`).then((response) => response.text())
  return [...map.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => new URL(address).pathname)
}

/**
 * Runs a task with the built site: the one at BASE_URL, or one that Clave serves from memory with the demo data until the task ends.
 */
export async function withSite(task) {
  if (process.env.BASE_URL) return task(process.env.BASE_URL.replace(/\/$/, ''))
  for (const needed of [CLAVE, BACKOFFICE, join(SITE, 'index.html')]) {
    if (!existsSync(needed)) throw new Error(`falta ${needed}: ejecuta make bin/clave bin/backoffice y npm run build, o da BASE_URL`)
  }
  const folder = await mkdtemp(join(tmpdir(), 'sitio-'))
  const { file, office: address, url, hosts } = await configuration(folder)
  const env = { ADMIN_SIGNUP_CODE: 'demo-codigo-fundacion', GCLOUD_PROJECT: 'demo-fundacion', ...process.env }
  const office = start(BACKOFFICE, ['--listen', address, '--proxy-hops', '1', '--site', SITE, '--seed', join(ROOT, 'emulator-config')], {
    ...env,
    ...hosts,
  })
  const filled = ready(office, 'Demo data loaded')
  const server = start(CLAVE, ['start', '--memory', '--config', file, '--service', `backoffice=http://${address}`], env)
  try {
    await Promise.all([ready(server), filled])
    await waitFor(url, server)
    return await task(url)
  } finally {
    await finish([office, server])
    await rm(folder, { recursive: true })
  }
}
