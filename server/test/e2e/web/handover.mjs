// Writes, reads and listens by the SDKs for servers and for the web until the standard input ends. Arguments: the
// frontend's folder, the port of a balancer, and the name of the project. Each client creates documents in a collection
// of its own, one after another, and listens to it. Prints a line with the number of documents of each client once all
// have some, and again at the end, after all listeners have all documents.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [frontend, port, project] = process.argv.slice(2)
const require = createRequire(join(frontend, 'package.json'))
process.env.FIRESTORE_EMULATOR_HOST = `127.0.0.1:${port}`
const { Firestore } = require('@google-cloud/firestore')
const { initializeApp } = require('firebase/app')
const web = require('firebase/firestore')
const lite = require('firebase/firestore/lite')

web.setLogLevel('silent')
lite.setLogLevel('silent')
let over = false
process.stdin.resume().on('end', () => (over = true))
const wrong = []

// client repeats a step, which creates document i and returns when that is acknowledged, and counts them. retries is
// false for an SDK that does not retry.
function client(name, step, { listen, retries = true }) {
  const c = { name, made: [], failed: 0, seen: 0 }
  listen?.((size) => {
    if (size < c.seen) wrong.push(`${name}: the listener has ${size} documents after ${c.seen}`)
    c.seen = size
  }, (e) => wrong.push(`${name}: the listener ended: ${e}`))
  c.running = (async () => {
    for (let i = 0; !over; i++) {
      try {
        await step(i)
        c.made.push(i)
      } catch (e) {
        if (retries) wrong.push(`${name}: ${e}`)
        else if (!/unavailable|aborted|fetch failed/i.test(`${e.code} ${e}`)) wrong.push(`${name}: ${e.code} ${e}`)
        c.failed++
      }
    }
  })()
  return c
}

const admin = new Firestore({ projectId: project })
const full = web.getFirestore(initializeApp({ projectId: project, apiKey: 'k' }, 'full'))
web.connectFirestoreEmulator(full, '127.0.0.1', Number(port))
const small = lite.getFirestore(initializeApp({ projectId: project, apiKey: 'k' }, 'lite'))
lite.connectFirestoreEmulator(small, '127.0.0.1', Number(port))

const clients = [
  client('server', (i) => admin.runTransaction(async (tx) => {
    const counter = await tx.get(admin.doc('counters/server'))
    tx.set(counter.ref, { n: (counter.get('n') ?? 0) + 1 })
    tx.set(admin.doc(`server/${i}`), { n: i })
  }), { listen: (next, failed) => admin.collection('server').onSnapshot((s) => next(s.size), failed) }),
  client('server reads', async (i) => {
    await admin.collection('server').where('n', '==', i).get()
    await admin.getAll(admin.doc('counters/server'))
  }, {}),
  client('web', (i) => web.setDoc(web.doc(full, `web/${i}`), { n: i }), {
    listen: (next, failed) => web.onSnapshot(web.collection(full, 'web'), { includeMetadataChanges: true }, (s) => next(s.docs.filter((d) => !d.metadata.hasPendingWrites).length), failed),
  }),
  client('web transactions', (i) => web.runTransaction(full, async (tx) => {
    const counter = await tx.get(web.doc(full, 'counters/web'))
    tx.set(counter.ref, { n: (counter.data()?.n ?? 0) + 1 })
    tx.set(web.doc(full, `transactions/${i}`), { n: i })
  }), {}),
  client('lite', (i) => lite.setDoc(lite.doc(small, `lite/${i}`), { n: i }), { retries: false }),
]
const report = () => console.log(clients.map((c) => `${c.name}: ${c.made.length} (${c.failed} failed)`).join(', '))
const pause = () => new Promise((done) => setTimeout(done, 20))
while (clients.some((c) => c.made.length < 5)) await pause()
report()
await Promise.all(clients.map((c) => c.running))
for (const c of clients.filter((c) => ['server', 'web'].includes(c.name))) {
  for (let i = 0; c.seen !== c.made.length && i < 3000; i++) await pause()
  assert.equal(c.seen, c.made.length, `${c.name}: documents of the listener`)
}
for (const c of clients.filter((c) => c.name !== 'server reads')) {
  const collection = c.name === 'web transactions' ? 'transactions' : c.name
  const found = new Set((await admin.collection(collection).get()).docs.map((d) => d.get('n')))
  assert.deepEqual(c.made.filter((i) => !found.has(i)), [], `${c.name}: acknowledged documents that are lost`)
}
for (const [counter, c] of [['server', clients[0]], ['web', clients[3]]]) {
  const n = (await admin.doc(`counters/${counter}`).get()).get('n')
  // A transaction without a response may be repeated.
  assert.ok(n >= c.made.length, `${counter}: the counter is ${n} after ${c.made.length} transactions`)
}
assert.deepEqual(wrong, [], 'errors at clients')
report()
process.exit(0)
