// Firestore of firebase-admin over an app of clave/admin: reads, writes, queries, transactions, listeners, bulk writes,
// aggregations and partitions.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { deleteApp, initializeApp } from 'firebase-admin/app'
import { AggregateField, FieldPath, FieldValue, Filter, Timestamp, getFirestore } from 'firebase-admin/firestore'
import { claveApp, claveFirestore, claveOptions } from 'clave/admin'
import { ca, key, rejects, unique } from './setup.mjs'

const app = claveApp({ key, ca, firestore: { ignoreUndefinedProperties: true } })
const db = getFirestore(app)
const items = db.collection(unique('items'))

after(() => deleteApp(app))

/** Calls listen with a callback and returns the first value that wanted accepts. */
function first(listen, wanted) {
  return new Promise((done, fail) => {
    const stop = listen((value) => {
      if (!wanted(value)) return
      stop()
      done(value)
    }, fail)
  })
}

test('documents', async () => {
  const doc = items.doc('a')
  const now = Timestamp.now()
  const value = { n: 1, text: 'é', list: [1, 'x', null], map: { deep: { yes: true } }, bytes: Buffer.from([0, 255]), at: now, ref: items.doc('b'), vector: FieldValue.vector([1, 2]) }
  await doc.set({ ...value, left: undefined })
  const { at, ref, vector, ...rest } = (await doc.get()).data()
  assert.ok(at.isEqual(new Timestamp(now.seconds, Math.floor(now.nanoseconds / 1000) * 1000)))
  assert.ok(ref.isEqual(value.ref) && vector.isEqual(value.vector))
  assert.deepEqual(rest, { n: 1, text: 'é', list: [1, 'x', null], map: { deep: { yes: true } }, bytes: Buffer.from([0, 255]) })
  await doc.update({ n: FieldValue.increment(4), list: FieldValue.arrayUnion(2), 'map.deep': FieldValue.delete(), when: FieldValue.serverTimestamp() })
  const changed = await doc.get()
  assert.deepEqual([changed.get('n'), changed.get('list'), changed.get('map')], [5, [1, 'x', null, 2], {}])
  assert.ok(changed.get('when') instanceof Timestamp && changed.updateTime)
  await doc.set({ n: 6 }, { merge: true })
  await rejects(doc.create({}), 6)
  await rejects(items.doc('nobody').update({ n: 1 }), 5)
  await rejects(doc.update({ n: 1 }, { lastUpdateTime: changed.updateTime }), 9)
  const [one, none] = await db.getAll(doc, items.doc('nobody'), { fieldMask: ['n'] })
  assert.deepEqual([one.data(), none.exists], [{ n: 6 }, false])
  const made = await items.add({ n: 7 })
  await made.delete()
  await doc.collection('below').doc('x').set({ n: 1 })
  assert.deepEqual((await doc.listCollections()).map((c) => c.id), ['below'])
  assert.deepEqual((await items.listDocuments()).map((d) => d.id), ['a'])
  assert.ok((await db.listCollections()).some((c) => c.id === items.id))
  await db.recursiveDelete(doc)
  assert.equal((await doc.collection('below').get()).size, 0)
})

test('batches, bulk writes, queries and aggregations', async () => {
  const batch = db.batch()
  for (let n = 0; n < 10; n++) batch.create(items.doc(`b${n}`), { n, even: n % 2 === 0, tags: [`t${n % 3}`] })
  assert.equal((await batch.commit()).length, 10)
  const writer = db.bulkWriter()
  const written = []
  writer.onWriteResult((ref) => written.push(ref.id))
  for (let n = 10; n < 250; n++) void writer.create(items.doc(`b${n}`), { n, even: n % 2 === 0, tags: [`t${n % 3}`] })
  const failed = rejects(writer.create(items.doc('b0'), {}), 6)
  await writer.close()
  await failed
  assert.equal(written.length, 240)

  const ids = (snapshot) => snapshot.docs.map((d) => d.id)
  assert.deepEqual(ids(await items.where('n', '<', 5).orderBy('n', 'desc').limit(2).get()), ['b4', 'b3'])
  assert.deepEqual(ids(await items.orderBy('n').startAfter(3).limitToLast(2).endBefore(8).get()), ['b6', 'b7'])
  assert.deepEqual(ids(await items.where(Filter.or(Filter.where('n', '==', 1), Filter.where('n', '==', 249))).get()), ['b1', 'b249'])
  assert.deepEqual(ids(await items.where('tags', 'array-contains', 't1').limit(2).get()), ['b1', 'b10'])
  assert.deepEqual(ids(await items.where(FieldPath.documentId(), 'in', ['b3', 'b5']).select('n').get()), ['b3', 'b5'])
  const totals = items.where('n', '<', 10).aggregate({ count: AggregateField.count(), sum: AggregateField.sum('n'), mean: AggregateField.average('n') })
  assert.deepEqual((await totals.get()).data(), { count: 10, sum: 45, mean: 4.5 })
  assert.equal((await items.count().get()).data().count, 250)
  let streamed = 0
  for await (const _ of items.where('even', '==', true).stream()) streamed++
  assert.equal(streamed, 125)
  let partitions = 0
  for await (const partition of db.collectionGroup(items.id).getPartitions(3)) partitions += (await partition.toQuery().get()).size
  assert.equal(partitions, 250)
  assert.equal((await items.explain({ analyze: true })).snapshot.size, 250)
})

test('transactions', async () => {
  const counter = items.doc('counter')
  await counter.set({ n: 0 })
  const add = () =>
    db.runTransaction(async (tx) => {
      const n = (await tx.get(counter)).get('n') + 1
      tx.update(counter, { n })
      return n
    })
  const results = await Promise.all([add(), add(), add(), add()])
  assert.deepEqual(results.sort(), [1, 2, 3, 4])
  assert.equal((await counter.get()).get('n'), 4)
  const read = await db.runTransaction((tx) => tx.get(items.where('n', '==', 4)), { readOnly: true })
  assert.ok(read.docs.some((d) => d.id === 'counter'))
  await assert.rejects(db.runTransaction(async (tx) => {
    tx.set(counter, { n: 9 })
    throw new Error('no')
  }), /no/)
  assert.equal((await counter.get()).get('n'), 4)
})

test('listeners', async () => {
  const rooms = db.collection(unique('rooms'))
  const two = first((next, fail) => rooms.orderBy('n').onSnapshot(next, fail), (s) => s.size === 2)
  const gone = rooms.doc('x')
  await gone.set({ n: 1 })
  const removed = first((next, fail) => gone.onSnapshot(next, fail), (s) => !s.exists)
  await rooms.doc('y').set({ n: 0 })
  assert.deepEqual((await two).docs.map((d) => d.id), ['y', 'x'])
  await gone.delete()
  assert.equal((await removed).exists, false)
})

test('several apps', async () => {
  const second = initializeApp(claveOptions({ key, ca }), unique('second'))
  const other = claveFirestore(second)
  assert.equal(claveFirestore(second), other)
  assert.throws(() => claveFirestore(second, { maxIdleChannels: 2 }), /its settings already/)
  await other.doc(`${items.path}/second`).set({ n: 1 })
  await deleteApp(second)
  assert.equal((await items.doc('second').get()).get('n'), 1)
  assert.throws(() => claveFirestore(initializeApp({ projectId: 'x' }, unique('plain'))), /not initialized with/)
})
