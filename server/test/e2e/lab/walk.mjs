// Asks a running server for everything that the lab has, by the web SDK in Node and in Chromium and by the Admin SDK for
// Node. Arguments: the site's folder, which has the SDK of the page and the browser; the folder of the SDKs for Node; the
// program, and its project's folder, which is the working folder. WITHOUT_BROWSER leaves the page out, and ONLY selects
// programs by a part of their names.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { opened } from '../web/opened.mjs'
import { programs as admins } from './admin.mjs'
import { programs as clients, routes } from './client.mjs'

const [frontend, sdks, clave] = process.argv.slice(2)
const project = process.env.GCLOUD_PROJECT
const [firestore, auth] = [process.env.FIRESTORE_EMULATOR_HOST, process.env.FIREBASE_AUTH_EMULATOR_HOST]

/** Sends a request to a control route and resolves with its answer. */
async function control(method, at, body) {
  const answer = await fetch(`http://${firestore}/emulator/v1${at}`, { method, body: method === 'GET' ? undefined : JSON.stringify(body ?? {}) })
  if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

/** Resolves with the codes that Auth has sent by e-mail. */
const codes = async () => (await (await fetch(`http://${auth}/emulator/v1/projects/${project}/oobCodes`)).json()).oobCodes

/** Runs a command of the program and resolves with its exit code and its output. */
const command = (...args) => new Promise((done) => execFile(clave, args, (error, out, errors) => done({ code: error ? error.code : 0, out: out + errors })))

/** Signs a user of the seed in and resolves with the answer. */
async function signIn() {
  const body = JSON.stringify({ email: 'bob@example.org', password: 'secret-of-bob', returnSecureToken: true })
  const at = `http://${auth}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=any`
  return (await fetch(at, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json()
}

const failures = []

/** Runs a program, and prints its name, the time that it took, and its failure. */
async function check(sdk, name, run) {
  if (process.env.ONLY && !`${sdk}: ${name}`.includes(process.env.ONLY)) return
  const began = Date.now()
  let timer
  const late = new Promise((_, fail) => (timer = setTimeout(() => fail(new Error('nothing for two minutes')), 120_000)))
  const problem = await Promise.race([run(), late]).then(() => '', (error) => error.stack ?? String(error))
  clearTimeout(timer)
  console.log(`${problem ? 'FAIL' : 'ok  '} ${sdk}: ${name} (${Date.now() - began} ms) ${problem}`)
  if (problem) failures.push(`${sdk}: ${name}`)
}

/** Runs programs that have projects of their own, some at a time. */
async function all(sdk, programs, parallel) {
  const left = Object.entries(programs).values()
  const worker = async () => {
    for (const [name, run] of left) await check(sdk, name, run)
  }
  await Promise.all(Array.from({ length: parallel }, worker))
}

const require = createRequire(path.join(sdks, 'package.json'))
const load = (name, parts) => Object.fromEntries(parts.map((part) => [part.split('/').at(-1), require(`${name}/${part}`)]))
const web = load('firebase', ['app', 'auth', 'firestore', 'firestore/lite'])
for (const part of [web.firestore, web.lite]) part.setLogLevel('silent')
const port = Number(firestore.split(':')[1])
const world = { control, codes, port, project, auth: `http://${auth}` }
const seeds = JSON.parse(process.env.SEEDS)

const { account, projects, ...node } = clients(web, { ...world, where: 'node', host: () => '127.0.0.1', projects: 1000 })
const { sessions, ...admin } = admins(load('firebase-admin', ['app', 'auth', 'firestore']), {
  ...world, clave: command, seeds, signIn, own: routes({ control }, project),
})
const page = process.env.WITHOUT_BROWSER ? undefined : opened(frontend, fileURLToPath(new URL('page.mjs', import.meta.url)))

await Promise.all([all('web in Node', node, 8), all('Admin', admin, 6), check('web in Node', 'account', account)])
await check('Admin', 'sessions', sessions)
if (page) await inPage(await page)

// What the clients did is recorded, until the requests of many projects take the place of theirs.
const recording = await (await fetch(`http://${firestore}/emulator/v1/projects/${project}:recording`)).text()
writeFileSync('requests.jsonl', recording)
await check('web in Node', 'projects', projects)

/** Runs the programs in a page. */
async function inPage({ context, visit, run, close }) {
  await context.exposeFunction('labControl', control)
  await context.exposeFunction('labCodes', codes)
  const tab = await visit()
  const named = { port, project, auth: world.auth, where: 'chromium', projects: 50 }
  const inTab = (name) => [name, () => run(tab, 'run', { program: name, world: named })]
  await Promise.all([all('web in Chromium', Object.fromEntries([...Object.keys(node), 'projects'].map(inTab)), 6), check('web in Chromium', ...inTab('account'))])
  await close()
}

assert.deepEqual(failures, [])
process.exit(0)
