// The web SDK's Node build (gRPC streams): set, get, update, query, listen, batch, delete.
// Reads FIRESTORE_EMULATOR_HOST and GCLOUD_PROJECT; exits 0 when every answer was as expected.
import assert from 'node:assert/strict'
import { initializeApp, deleteApp } from 'firebase/app'
import * as f from 'firebase/firestore'

const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':')
const app = initializeApp({ projectId: process.env.GCLOUD_PROJECT, apiKey: 'demo' })
const db = f.getFirestore(app)
f.connectFirestoreEmulator(db, host, Number(port))

const rooms = f.collection(db, `rooms-${Math.random().toString(36).slice(2)}`)
const a = f.doc(rooms, 'a')

const seen = []
const arrived = (want) => seen.some((s) => JSON.stringify(s) === JSON.stringify(want))
let wake = () => {}
const stop = f.onSnapshot(f.query(rooms, f.where('n', '>=', 1), f.orderBy('n', 'desc')), { includeMetadataChanges: true }, (s) => {
  if (!s.metadata.fromCache && !s.metadata.hasPendingWrites) {
    seen.push(s.docs.map((d) => d.id))
    wake()
  }
})
const until = async (want) => {
  while (!arrived(want)) await new Promise((resolve) => (wake = resolve))
}

await until([])
await f.setDoc(a, { n: 1, when: f.serverTimestamp(), tags: ['x'], place: new f.GeoPoint(18.5, -69.9) })
await until(['a'])
let got = (await f.getDocFromServer(a)).data()
assert.equal(got.n, 1)
assert.ok(Math.abs(got.when.toMillis() - Date.now()) < 60_000)
await f.updateDoc(a, { n: f.increment(2), tags: f.arrayUnion('y'), 'deep.er': true })
got = (await f.getDocFromServer(a)).data()
assert.deepEqual([got.n, got.tags, got.deep], [3, ['x', 'y'], { er: true }])
await assert.rejects(f.updateDoc(f.doc(rooms, 'nobody'), { n: 1 }), { code: 'not-found' })

const batch = f.writeBatch(db)
batch.set(f.doc(rooms, 'b'), { n: 5 })
batch.set(f.doc(rooms, 'c'), { n: 0 })
batch.update(a, { n: 4 })
await batch.commit()
await until(['b', 'a'])

const found = await f.getDocsFromServer(f.query(rooms, f.where('n', '<', 5), f.orderBy('n'), f.limit(1)))
assert.deepEqual(found.docs.map((d) => d.id), ['c'])
assert.equal((await f.getCountFromServer(rooms)).data().count, 3)
const total = await f.runTransaction(db, async (tx) => {
  const n = (await tx.get(a)).data().n + 1
  tx.update(a, { n })
  return n
})
assert.equal(total, 5)
await f.deleteDoc(f.doc(rooms, 'b'))
await until(['a'])
assert.equal((await f.getDocFromServer(f.doc(rooms, 'b'))).exists(), false)
stop()
await deleteApp(app)
console.log('ok')
process.exit(0)
