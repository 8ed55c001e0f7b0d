// The Node Admin SDK: users and claims, then set, get, update, query, listen, batch, transaction, delete.
// Reads FIRESTORE_EMULATOR_HOST, FIREBASE_AUTH_EMULATOR_HOST and GCLOUD_PROJECT; exits 0 when every answer was as expected.
import assert from 'node:assert/strict'
import { initializeApp, deleteApp } from 'firebase-admin/app'
import { getAuth } from 'firebase-admin/auth'
import { FieldValue, getFirestore } from 'firebase-admin/firestore'

const app = initializeApp({ projectId: process.env.GCLOUD_PROJECT })
const auth = getAuth(app)
const email = `ana-${Math.random().toString(36).slice(2)}@example.org`
const user = await auth.createUser({ email, password: 'secreta1', displayName: 'Ana' })
assert.equal((await auth.getUserByEmail(email)).uid, user.uid)
await auth.setCustomUserClaims(user.uid, { role: 'admin' })
assert.deepEqual((await auth.getUser(user.uid)).customClaims, { role: 'admin' })
assert.equal((await auth.updateUser(user.uid, { displayName: 'Ana María' })).displayName, 'Ana María')
await assert.rejects(auth.createUser({ email, password: 'secreta1' }), { code: 'auth/email-already-exists' })
await auth.deleteUser(user.uid)
await assert.rejects(auth.getUser(user.uid), { code: 'auth/user-not-found' })

const db = getFirestore(app)
const rooms = db.collection(`admin-${Math.random().toString(36).slice(2)}`)
const a = rooms.doc('a')
const seen = []
let wake = () => {}
const stop = rooms.where('n', '>', 0).onSnapshot((s) => {
  seen.push(s.docs.map((d) => d.id).join())
  wake()
})
const until = async (want) => {
  while (!seen.includes(want)) await new Promise((resolve) => (wake = resolve))
}
await until('')
await a.set({ n: 1, when: FieldValue.serverTimestamp() })
await until('a')
await a.update({ n: FieldValue.increment(4) })
assert.equal((await a.get()).data().n, 5)
const batch = db.batch()
batch.create(rooms.doc('b'), { n: 7 })
batch.delete(a)
await batch.commit()
await until('b')
await assert.rejects(rooms.doc('b').create({ n: 1 }), { code: 6 })
const total = await db.runTransaction(async (tx) => {
  const n = (await tx.get(rooms.doc('b'))).data().n + 1
  tx.update(rooms.doc('b'), { n })
  return n
})
assert.equal(total, 8)
assert.equal((await rooms.orderBy('n').limit(1).get()).docs[0].id, 'b')
assert.equal((await rooms.count().get()).data().count, 1)
assert.deepEqual((await rooms.listDocuments()).map((d) => d.id), ['b'])
await rooms.doc('b').delete()
stop()
await deleteApp(app)
console.log('ok')
process.exit(0)
