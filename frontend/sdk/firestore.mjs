// The Node server SDK of Firestore, call by call, over gRPC and then over REST.
// Reads FIRESTORE_EMULATOR_HOST and GCLOUD_PROJECT; exits 0 when every answer was as expected.
import assert from 'node:assert/strict'
import { AggregateField, FieldPath, FieldValue, Filter, Firestore, GeoPoint, Timestamp } from 'firebase-admin/firestore'

const ids = (snapshot) => snapshot.docs.map((d) => d.id).join()
const random = () => Math.random().toString(36).slice(2)

/** Values of every type are read as they were written. */
async function values(db, c) {
  const sent = {
    nothing: null, yes: true, n: 1, d: 1.5, nan: NaN, inf: -Infinity, big: 2 ** 40, text: 'é😀', bytes: Buffer.from([0, 255]), at: new Timestamp(1, 2000),
    ref: c.doc('x'), place: new GeoPoint(1.5, -2), list: [1, 'a', { b: [] }], map: { 'a.b': { c: {} } }, v: FieldValue.vector([1, 2.5]),
  }
  await c.doc('all').set(sent)
  const got = (await c.doc('all').get()).data()
  assert.deepEqual(Object.keys(got).sort(), Object.keys(sent).sort())
  for (const key of Object.keys(sent)) {
    const same = got[key]?.isEqual?.(sent[key]) ?? undefined
    if (same === undefined) assert.deepEqual(got[key], sent[key], key)
    else assert.ok(same, key)
  }
  assert.equal((await c.doc('none').get()).exists, false)
  await c.doc('all').delete()
}

/** Writes with preconditions and transforms. Over REST the SDK identifies errors only by their HTTP status: it treats 409 as a conflict
 * and retries, and 400 as INVALID_ARGUMENT. */
async function writes(db, c, rest) {
  const a = c.doc('a')
  const first = await a.create({ n: 1, tags: ['x'], m: { k: 1, l: 2 } })
  if (!rest) await assert.rejects(a.create({}), { code: 6 })
  await assert.rejects(c.doc('none').update({ n: 1 }), { code: 5 })
  await a.update({ n: FieldValue.increment(2), 'm.k': FieldValue.delete(), tags: FieldValue.arrayUnion('y', 'x'), at: FieldValue.serverTimestamp() })
  const after = (await a.get()).data()
  assert.deepEqual([after.n, after.m, after.tags, after.at instanceof Timestamp], [3, { l: 2 }, ['x', 'y'], true])
  await a.update({ tags: FieldValue.arrayRemove('x'), n: FieldValue.increment(0.5) })
  // Before version 9, REST derives the code from the HTTP status.
  await assert.rejects(a.update({ n: 0 }, { lastUpdateTime: first.writeTime }), (error) => error.code === 9 || (rest && error.code === 3))
  await a.set({ m: { z: 1 } }, { merge: true })
  await a.set({ n: 7, m: { z: 9 } }, { mergeFields: ['n'] })
  const merged = (await a.get()).data()
  assert.deepEqual([merged.n, merged.m, merged.tags], [7, { l: 2, z: 1 }, ['y']])
  const batch = db.batch().set(c.doc('b'), { n: 1 }).update(a, new FieldPath('a.b'), 1).delete(c.doc('c'))
  assert.equal((await batch.commit()).length, 3)
  assert.equal((await a.get()).get(new FieldPath('a.b')), 1)
  const added = await c.add({ n: 0 })
  assert.equal(added.id.length, 20)
  await added.delete({ exists: true })
  await assert.rejects(added.delete({ exists: true }), { code: 5 })
  const [one, two] = await db.getAll(a, c.doc('none'), { fieldMask: ['n'] })
  assert.deepEqual([one.data(), two.exists], [{ n: 7 }, false])
}

/** Queries, cursors, aggregates, nearest vectors, partitions and plans. */
async function queries(db, c) {
  const writer = db.bulkWriter()
  for (let i = 0; i < 20; i++) {
    writer.set(c.doc(`q${String(i).padStart(2, '0')}`), { i, even: i % 2 === 0, tags: [`t${i % 3}`], v: FieldValue.vector([i, 0]) })
  }
  await writer.close()
  const by = c.orderBy('i')
  assert.equal(ids(await by.limit(2).get()), 'q00,q01')
  assert.equal(ids(await by.limitToLast(2).get()), 'q18,q19')
  assert.equal(ids(await by.offset(18).get()), 'q18,q19')
  assert.equal(ids(await by.startAt(5).endBefore(7).get()), 'q05,q06')
  assert.equal(ids(await by.startAfter(await c.doc('q17').get()).get()), 'q18,q19')
  assert.equal(ids(await c.where('i', 'in', [3, 5, 99]).get()), 'q03,q05')
  assert.equal(ids(await c.where('i', 'not-in', [0, 1]).limit(1).get()), 'q02')
  assert.equal((await c.where('tags', 'array-contains', 't1').get()).size, 7)
  assert.equal((await c.where('tags', 'array-contains-any', ['t1', 't2']).get()).size, 13)
  assert.equal(ids(await c.where(Filter.or(Filter.where('i', '<', 1), Filter.and(Filter.where('i', '>', 18), Filter.where('even', '==', false)))).get()), 'q00,q19')
  assert.equal(ids(await c.where(FieldPath.documentId(), '>=', 'q18').get()), 'q18,q19')
  assert.deepEqual((await by.limit(1).select('even').get()).docs[0].data(), { even: true })
  const figures = (await c.aggregate({ n: AggregateField.count(), sum: AggregateField.sum('i'), mean: AggregateField.average('i') }).get()).data()
  assert.deepEqual(figures, { n: 20, sum: 190, mean: 9.5 })
  assert.equal((await c.where('even', '==', true).count().get()).data().count, 10)
  const near = await c.findNearest({ vectorField: 'v', queryVector: [3, 0], limit: 2, distanceMeasure: 'EUCLIDEAN', distanceResultField: 'far', distanceThreshold: 5 }).get()
  assert.deepEqual(near.docs.map((d) => [d.id, d.get('far')]), [['q03', 0], ['q02', 1]])
  const explained = await by.limit(3).explain({ analyze: true })
  assert.deepEqual([explained.snapshot.size, explained.metrics.executionStats.resultsReturned], [3, 3])
  assert.ok((await by.explain()).snapshot === null)
  let rows = 0
  for await (const _ of by.stream()) rows++
  assert.equal(rows, 20)
  const group = db.collectionGroup(c.id)
  const parts = []
  for await (const part of group.getPartitions(4)) parts.push(part)
  const sizes = await Promise.all(parts.map((p) => p.toQuery().get().then((s) => s.size)))
  assert.equal(sizes.reduce((a, b) => a + b), 20)
}

/** Listings, collections below documents, and their deletion. */
async function trees(db, c) {
  await c.doc('p').collection('sub').doc('x').set({ n: 1 })
  await c.doc('q00').collection('sub').doc('y').set({ n: 1 })
  await c.doc('q00').collection('other').doc('z').set({ n: 1 })
  assert.deepEqual((await c.doc('q00').listCollections()).map((x) => x.id), ['other', 'sub'])
  assert.ok((await db.listCollections()).some((x) => x.id === c.id))
  assert.ok((await c.listDocuments()).some((d) => d.id === 'p'), 'a missing document with children is listed')
  await db.recursiveDelete(c.doc('q00'))
  assert.equal((await c.doc('q00').listCollections()).length, 0)
  await db.recursiveDelete(c)
  assert.equal((await c.get()).size, 0)
}

/** Transactions: read-write, read-only, at a time, retried, abandoned. */
async function transactions(db, c) {
  const a = c.doc('a')
  const { writeTime } = await a.set({ n: 1 })
  await a.update({ n: 2 })
  const total = await db.runTransaction(async (tx) => {
    const [one, found] = [await tx.get(a), await tx.get(c.where('n', '>', 0))]
    tx.update(a, { n: one.data().n + found.size })
    tx.create(c.doc('b'), { n: 1 })
    return (await Promise.resolve(one)).data().n
  })
  assert.equal(total, 2)
  assert.equal((await a.get()).data().n, 3)
  assert.equal(await db.runTransaction(async (tx) => (await tx.get(c.count())).data().count, { readOnly: true }), 2)
  assert.equal(await db.runTransaction(async (tx) => (await tx.get(a)).data().n, { readOnly: true, readTime: writeTime }), 1)
  await assert.rejects(db.runTransaction(async (tx) => { await tx.get(a); tx.set(a, { n: 99 }); throw new Error('given up') }), /given up/)
  await Promise.all(Array.from({ length: 5 }, () => db.runTransaction(async (tx) => tx.update(a, { n: (await tx.get(a)).data().n + 1 }))))
  assert.equal((await a.get()).data().n, 8)
}

/** A live query, and a bundle of query results. Both use gRPC. */
async function live(db, c) {
  const seen = []
  let wake
  const stop = c.orderBy('n').onSnapshot((s) => { seen.push(ids(s)); wake?.() })
  const until = async (want) => { while (!seen.includes(want)) await new Promise((resolve) => (wake = resolve)) }
  await until('b,a')
  await c.doc('b').delete()
  await until('a')
  stop()
  const bundle = db.bundle('rooms')
  const text = bundle.add('all', await c.get()).add(await c.doc('a').get()).build().toString()
  assert.ok(text.includes('"namedQuery"') && text.includes('documentMetadata'))
}

// Over REST the SDK requires credentials for the emulator; over gRPC it sends "owner" by itself.
const auth = {
  getUniverseDomain: async () => 'googleapis.com',
  getRequestHeaders: async () => ({ Authorization: 'Bearer owner' }),
  // Since version 9 the SDK sends its requests by this function.
  fetch: (url, { headers, ...options }) => {
    headers.set('authorization', 'Bearer owner')
    return fetch(url, { ...options, agent: undefined, headers })
  },
}
const settings = { projectId: process.env.GCLOUD_PROJECT }
for (const preferRest of [false, true]) {
  const db = new Firestore(preferRest ? { ...settings, preferRest, auth } : settings)
  const c = db.collection(`server-${random()}`)
  for (const part of [values, writes, queries, trees, transactions, live]) {
    await part(db, c, preferRest)
    if (part === writes) await db.recursiveDelete(c)
  }
  await db.terminate()
}
const named = new Firestore({ ...settings, databaseId: 'second' })
await named.doc('c/d').set({ n: 1 })
assert.equal((await named.doc('c/d').get()).data().n, 1)
assert.equal((await new Firestore(settings).doc('c/d').get()).exists, false)
console.log('ok')
process.exit(0)
