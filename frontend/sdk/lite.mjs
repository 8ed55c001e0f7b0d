// firestore/lite (REST): set, get, update, query, batch, aggregate, delete.
// Reads FIRESTORE_EMULATOR_HOST and GCLOUD_PROJECT; exits 0 when every answer was as expected.
import assert from 'node:assert/strict'
import { initializeApp } from 'firebase/app'
import * as f from 'firebase/firestore/lite'

const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':')
const db = f.getFirestore(initializeApp({ projectId: process.env.GCLOUD_PROJECT, apiKey: 'demo' }))
f.connectFirestoreEmulator(db, host, Number(port))

const rooms = f.collection(db, `lite-${Math.random().toString(36).slice(2)}`)
const a = f.doc(rooms, 'a')
await f.setDoc(a, { n: 1, name: 'ñandú', when: f.serverTimestamp() })
assert.equal((await f.getDoc(a)).data().name, 'ñandú')
await f.updateDoc(a, { n: f.increment(1.5) })
assert.equal((await f.getDoc(a)).data().n, 2.5)
await f.setDoc(a, { extra: true }, { merge: true })
assert.deepEqual(Object.keys((await f.getDoc(a)).data()).sort(), ['extra', 'n', 'name', 'when'])

const batch = f.writeBatch(db)
for (let i = 0; i < 5; i++) batch.set(f.doc(rooms, `d${i}`), { n: i, even: i % 2 === 0 })
await batch.commit()
const found = await f.getDocs(f.query(rooms, f.where('even', '==', true), f.orderBy('n', 'desc'), f.startAfter(4)))
assert.deepEqual(found.docs.map((d) => d.id), ['d2', 'd0'])
assert.deepEqual(
  (await f.getAggregate(f.query(rooms, f.where('even', '==', true)), { total: f.sum('n'), count: f.count() })).data(),
  { total: 6, count: 3 },
)
await f.addDoc(rooms, { n: 9 })
assert.equal((await f.getDocs(rooms)).size, 7)
await f.deleteDoc(a)
assert.equal((await f.getDoc(a)).exists(), false)
await assert.rejects(f.updateDoc(a, { n: 1 }), { code: 'not-found' })
console.log('ok')
