// Drives the browser tests: runs the programs of page.mjs against a
// Clave binary, which it starts, kills and starts again. Arguments: the frontend's folder, the binary, a folder for data.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts } from '../../kit/node/ports.mjs'
import { ready } from '../../kit/node/programs.mjs'
import { opened } from './opened.mjs'
import { buffering, counting } from './proxies.mjs'

const [frontend, binary, folder] = process.argv.slice(2)
const here = path.dirname(fileURLToPath(import.meta.url))

const rules = `rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /open/{x=**} { allow read, write; }
    match /mine/{uid} { allow read, write: if request.auth.uid == uid; }
    match /closed/{x} { allow read, write: if false; }
  }
}`
const project = 'demo-web'

// clave starts the server in a folder with rules and waits until it is ready.
const [sockets, port] = await freePorts(2)
async function clave(port, dir = folder, source = rules, websocketPort = sockets) {
  const config = { firestore: { rules: 'firestore.rules' }, emulators: { firestore: { port, websocketPort } } }
  writeFileSync(path.join(dir, 'firebase.json'), JSON.stringify(config))
  writeFileSync(path.join(dir, 'firestore.rules'), source)
  const args = ['start', '--config', path.join(dir, 'firebase.json'), '--project', project, '--only', 'firestore']
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await ready(child, 'ready in')
  process.on('exit', () => child.kill('SIGKILL'))
  return child
}

// kill ends the server like a power failure.
async function kill(child) {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const { context, visit, run, limit, close } = await opened(frontend)

// check runs one test if it is selected, prints its result, and closes its pages.
let failures = 0
const only = process.env.ONLY
async function check(name, test) {
  if (only && !name.includes(only)) return
  const from = Date.now()
  try {
    await limit(test(), name)
    console.log(`ok   ${name} (${Date.now() - from} ms)`)
  } catch (e) {
    failures++
    console.log(`FAIL ${name}: ${e.message}`)
    for (const page of context.pages()) console.log('     a page showed:', await limit(shown(page), 'its last event', 5000).catch((e) => e.message))
  }
  for (const page of context.pages()) await page.close()
}

// shown describes the last snapshot of a page's listener, for failure messages.
const shown = (page) => page.evaluate(() => JSON.stringify([document.visibilityState, window.events?.length, window.events?.at(-1), window.latest]))

let server = await clave(port)
const direct = { project, host: 'localhost', port }

for (const [name, config] of [['streaming', direct], ['127.0.0.1', { ...direct, host: '127.0.0.1' }], ['long polling', { ...direct, longPolling: true }], ['persistent cache', { ...direct, cache: true }]]) {
  for (const program of ['basics', 'refusals', 'offline']) {
    await check(`${program}, ${name}`, async () => {
      const page = await visit()
      await run(page, program, config)
    })
  }
}
await check('many instances on one page', async () => {
  const page = await visit()
  await run(page, 'many', direct)
})
for (const program of ['basics', 'refusals', 'offline']) {
  await check(`${program} behind a buffering proxy`, async () => {
    const proxy = await buffering(port)
    const page = await visit()
    await run(page, program, { ...direct, port: proxy.port })
    await page.close()
    proxy.close()
    assert.ok(proxy.tally.streams > 0, 'the SDK tried to stream')
    assert.ok(proxy.tally.polls > 2, `the SDK found out that it has to poll: ${proxy.tally.polls} polls`)
  })
}

// size waits until a page's listener has a number of documents from the server and no pending writes.
const size = (page, n) =>
  page.waitForFunction((n) => { const e = window.events?.at(-1); return e && e.size === n && !e.fromCache && !e.pending }, n)

await check('killed and started again: listeners resume without reading all', async () => {
  const proxy = await counting(port)
  const page = await visit()
  await run(page, 'follow', { ...direct, port: proxy.port, path: 'open/restart/docs' })
  await size(page, 0)
  const text = 'x'.repeat(2000)
  for (let i = 0; i < 100; i++) await run(page, 'set', { id: `d${i}`, data: { n: i, text } })
  await size(page, 100)
  const filled = proxy.tally.bytes
  assert.ok(filled > 0)
  await kill(server)
  await run(page, 'queue', { id: 'd7', by: 1000 })
  server = await clave(port)
  proxy.tally.bytes = 0
  await page.evaluate(() => (window.events = []))
  await size(page, 100)
  await limit(run(page, 'read', { id: 'd7' }).then((d) => assert.equal(d.n, 1007, 'the queued write was applied once')), 'read')
  const seen = await page.evaluate(() => window.events.flatMap((e) => e.changes))
  assert.deepEqual(seen.filter((c) => !c.startsWith('modified d7')), [], 'no event is lost or doubled')
  assert.ok(proxy.tally.bytes < 40_000, `resuming 100 documents of 2 kB took ${proxy.tally.bytes} bytes`)
  await page.close()
  proxy.close()
})

await check('two tabs share a persistent cache', async () => {
  const config = { ...direct, cache: true, path: 'open/tabs/docs' }
  const [one, two] = [await visit(), await visit()]
  await run(one, 'follow', config)
  await run(two, 'follow', config)
  await run(two, 'set', { id: 'a', data: { n: 1 } })
  await size(one, 1)
  await size(two, 1)
  await one.close()
  await run(two, 'set', { id: 'b', data: { n: 2 } })
  await size(two, 2)
})

await check('a persistent cache outlives its page, and only what changed is read again', async () => {
  const proxy = await counting(port)
  const config = { ...direct, port: proxy.port, cache: true, path: 'open/reload/docs' }
  const one = await visit()
  await run(one, 'follow', config)
  const text = 'y'.repeat(2000)
  for (let i = 0; i < 60; i++) await run(one, 'set', { id: `d${i}`, data: { n: i, text } })
  await size(one, 60)
  await one.close()
  const other = await visit()
  await run(other, 'follow', { ...direct, path: config.path })
  await size(other, 60)
  await run(other, 'set', { id: 'd3', data: { n: 1000 } })
  await run(other, 'remove', { id: 'd4' })
  await size(other, 59)
  await other.close()
  proxy.tally.bytes = 0
  const two = await visit()
  await run(two, 'follow', config)
  await size(two, 59)
  assert.equal((await run(two, 'cached', { id: 'd3' })).n, 1000, 'what changed meanwhile is there')
  assert.ok(proxy.tally.bytes < 30_000, `coming back to 60 documents of 2 kB took ${proxy.tally.bytes} bytes`)
  await two.close()
  proxy.close()
})

await check('two tabs share a persistent cache while the server is killed', async () => {
  const config = { ...direct, cache: true, path: 'open/killed/docs' }
  const [one, two] = [await visit(), await visit()]
  await run(one, 'follow', config)
  await run(two, 'follow', config)
  await run(one, 'set', { id: 'a', data: { n: 0 } })
  await size(one, 1)
  await size(two, 1)
  await kill(server)
  for (const page of [one, two]) for (let i = 0; i < 5; i++) await run(page, 'queue', { id: 'a', by: 1 })
  server = await clave(port)
  await two.waitForFunction(() => window.events.at(-1).pending === false && window.events.at(-1).fromCache === false && window.latest.a?.n === 10)
  await one.waitForFunction(() => window.events.at(-1).pending === false && window.latest.a?.n === 10)
})

for (const [name, settings] of [['streaming', {}], ['long polling', { longPolling: true }]]) {
  await check(`an administrator who is deactivated loses an open list, ${name}`, async () => {
    const dir = path.join(folder, `site-${name.replace(' ', '-')}`)
    mkdirSync(dir)
    const [own, ownSockets] = await freePorts(2)
    const site = await clave(own, dir, readFileSync(path.join(here, '..', '..', '..', '..', 'firestore.rules'), 'utf8'), ownSockets)
    const record = async (active) => {
      const fields = { role: { stringValue: 'admin' }, active: { booleanValue: active } }
      const url = `http://127.0.0.1:${own}/v1/projects/${project}/databases/(default)/documents/adminusers/ana`
      const headers = { authorization: 'Bearer owner', 'content-type': 'application/json' }
      assert.equal((await fetch(url, { method: 'PATCH', headers, body: JSON.stringify({ fields }) })).status, 200)
    }
    await record(true)
    const page = await visit()
    await run(page, 'administer', { ...direct, ...settings, port: own, token: { sub: 'ana' } })
    const from = Date.now()
    await record(false)
    await page.waitForFunction(() => window.refused)
    assert.equal(await page.evaluate(() => window.refused), 'permission-denied')
    // The goal is 2 s, which a loaded machine may exceed; without the check the list stays open until the token expires.
    assert.ok(Date.now() - from < 30_000, `the list was open for ${Date.now() - from} ms after the commit`)
    await kill(site)
  })
}

await close()
await kill(server)
process.exit(failures === 0 ? 0 : 1)
