// The part of the browser tests that runs in the page: programs for the web SDK, called by drive.mjs through window.programs.
import { deleteApp, initializeApp } from 'firebase/app'
import * as f from 'firebase/firestore'

let apps = 0

// open creates a separate Firestore instance.
function open({ project, host, port, longPolling, cache, token }) {
  const app = initializeApp({ projectId: project, apiKey: 'demo' }, `app${apps++}`)
  const settings = {}
  if (longPolling) settings.experimentalForceLongPolling = true
  if (cache) settings.localCache = f.persistentLocalCache({ tabManager: f.persistentMultipleTabManager() })
  const db = f.initializeFirestore(app, settings)
  f.connectFirestoreEmulator(db, host, port, token ? { mockUserToken: token } : undefined)
  return { app, db }
}

// equal throws unless two values have the same JSON.
function equal(got, want, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  if (a !== b) throw new Error(`${what}: got ${a}, want ${b}`)
}

// watch listens and lets a program wait for the next snapshot.
function watch(target, options = { includeMetadataChanges: true }) {
  const queue = []
  let wake = () => {}
  const push = (item) => {
    queue.push(item)
    wake()
  }
  const stop = f.onSnapshot(target, options, push, (error) => push({ error }))
  const next = async () => {
    while (queue.length === 0) await new Promise((resolve) => (wake = resolve))
    return queue.shift()
  }
  return { next, stop, queue }
}

// changes describes a query snapshot by its changes.
const changes = (s) => s.docChanges().map((c) => `${c.type} ${c.doc.id} ${c.oldIndex}>${c.newIndex}`)

// fresh returns a collection that only one program uses.
const fresh = (db) => f.collection(db, 'open', crypto.randomUUID(), 'docs')

// settled reads snapshots until one comes from the server without pending writes.
async function settled(w) {
  for (;;) {
    const s = await w.next()
    if (s.error) throw s.error
    if (!s.metadata.fromCache && !s.metadata.hasPendingWrites) return s
  }
}

const programs = {
  // openAndRead: a fresh client's only read.
  async openAndRead(config) {
    const { app, db } = open(config)
    const found = await f.getDocs(f.collection(db, config.path))
    await deleteApp(app)
    return { size: found.size, fromCache: found.metadata.fromCache }
  },

  // basics: the snapshots for additions, updates, removals, limits, and metadata.
  async basics(config) {
    const { app, db } = open(config)
    const other = open({ ...config, cache: false })
    const docs = fresh(db)
    const there = f.collection(other.db, docs.path)
    const w = watch(f.query(docs, f.orderBy('n')))
    equal((await settled(w)).size, 0, 'first snapshot')
    await f.setDoc(f.doc(there, 'a'), { n: 1, text: 'ñ 😀 \u2028' })
    equal(changes(await settled(w)), ['added a -1>0'], 'added')
    await f.setDoc(f.doc(there, 'b'), { n: 2 })
    equal(changes(await settled(w)), ['added b -1>1'], 'added second')
    await f.updateDoc(f.doc(there, 'a'), { n: 3 })
    equal(changes(await settled(w)), ['modified a 0>1'], 'moved')
    await f.deleteDoc(f.doc(there, 'a'))
    equal(changes(await settled(w)), ['removed a 1>-1'], 'removed')
    const batch = f.writeBatch(other.db)
    for (const [id, n] of [['c', 4], ['d', 5], ['e', 6]]) batch.set(f.doc(there, id), { n })
    await batch.commit()
    equal(changes(await settled(w)), ['added c -1>1', 'added d -1>2', 'added e -1>3'], 'one commit, one snapshot')

    const limited = watch(f.query(docs, f.orderBy('n'), f.limit(2)))
    equal((await settled(limited)).docs.map((d) => d.id), ['b', 'c'], 'limit')
    await f.deleteDoc(f.doc(there, 'b'))
    equal(changes(await settled(limited)), ['removed b 0>-1', 'added d -1>1'], 'refilled in one snapshot')
    const last = watch(f.query(docs, f.orderBy('n'), f.limitToLast(2)))
    equal((await settled(last)).docs.map((d) => d.id), ['d', 'e'], 'limitToLast')
    limited.stop()
    last.stop()
    w.stop()

    const meta = watch(f.doc(docs, 'c'), { includeMetadataChanges: true })
    await settled(meta)
    await f.setDoc(f.doc(docs, 'c'), { n: 40, when: f.serverTimestamp() })
    const pending = []
    for (;;) {
      const s = await meta.next()
      pending.push(s.metadata.hasPendingWrites)
      if (!s.metadata.hasPendingWrites) break
    }
    equal(pending, [true, false], 'pending writes clear')
    meta.stop()
    equal((await f.getDocFromServer(f.doc(docs, 'c'))).data().n, 40, 'getDocFromServer')
    equal((await f.getDocsFromServer(f.query(docs, f.where('n', '>', 5)))).size, 2, 'getDocsFromServer')
    equal((await f.getDocFromServer(f.doc(docs, 'nobody'))).exists(), false, 'a document that is not there')
    await f.runTransaction(db, async (tx) => {
      const n = (await tx.get(f.doc(docs, 'e'))).data().n
      tx.update(f.doc(docs, 'e'), { n: n + 1 })
    })
    equal((await f.getDocFromServer(f.doc(docs, 'e'))).data().n, 7, 'transaction')
    await deleteApp(app)
    await deleteApp(other.app)
  },

  // refusals: a write that rules or preconditions refuse does not affect other writes or listeners.
  async refusals(config) {
    const { app, db } = open({ ...config, token: { sub: 'ann' } })
    const good = watch(fresh(db))
    await settled(good)
    const bad = watch(f.collection(db, 'closed'))
    equal((await bad.next()).error?.code, 'permission-denied', 'listener refused')
    const code = (p) => p.then(() => 'ok', (e) => e.code)
    equal(await code(f.setDoc(f.doc(db, 'closed/x'), { a: 1 })), 'permission-denied', 'write refused')
    equal(await code(f.updateDoc(f.doc(fresh(db), 'x'), { a: 1 })), 'not-found', 'update of nothing')
    equal(await code(f.setDoc(f.doc(db, 'mine/ann'), { a: 1 })), 'ok', 'own document')
    equal(await code(f.setDoc(f.doc(db, 'mine/bob'), { a: 1 })), 'permission-denied', "another's document")
    const stranger = open({ ...config, cache: false })
    equal(await code(f.getDocFromServer(f.doc(stranger.db, 'mine/ann'))), 'permission-denied', 'nobody reads it')
    await deleteApp(stranger.app)
    equal(good.queue.length, 0, 'the good listener heard nothing')
    await deleteApp(app)
  },

  // offline: writes made offline are applied once.
  async offline(config) {
    const { app, db } = open(config)
    const other = open({ ...config, cache: false })
    const d = f.doc(fresh(db), 'counter')
    await f.setDoc(d, { n: 0 })
    const w = watch(d)
    await settled(w)
    await f.disableNetwork(db)
    const done = []
    for (let i = 0; i < 25; i++) done.push(f.updateDoc(d, { n: f.increment(1) }))
    await f.setDoc(f.doc(other.db, d.path), { other: true }, { merge: true })
    await f.enableNetwork(db)
    await Promise.all(done)
    const data = (await f.getDocFromServer(f.doc(other.db, d.path))).data()
    equal([data.n, data.other], [25, true], 'applied once each')
    await deleteApp(app)
    await deleteApp(other.app)
  },

  // many: more instances on one page than the browser's limit of connections to a host.
  async many(config) {
    const all = []
    for (let i = 0; i < 5; i++) all.push(open(config))
    const docs = fresh(all[0].db)
    const watches = all.map(({ db }) => watch(f.collection(db, docs.path)))
    await Promise.all(watches.map(settled))
    await Promise.all(all.map(({ db }, i) => f.setDoc(f.doc(db, docs.path, `d${i}`), { i })))
    for (const w of watches) {
      while ((await settled(w)).size < all.length);
    }
    await Promise.all(all.map(({ app }) => deleteApp(app)))
  },

  // administer lists the requests that visitors of the site sent. window.refused is the code with which the list ended.
  async administer(config) {
    const { db } = open(config)
    const w = watch(f.collection(db, 'ContactRequests'))
    await settled(w)
    const refusal = async () => {
      for (;;) {
        const { error } = await w.next()
        if (error) return error.code
      }
    }
    refusal().then((code) => (window.refused = code))
  },

  // follow starts a listener that stays open. state and set are called by the driver.
  async follow(config) {
    const { db } = open(config)
    const docs = f.collection(db, config.path)
    window.events = []
    window.numbers = [] // of the first document
    window.following = { db, docs }
    window.latest = {}
    f.onSnapshot(f.query(docs, f.orderBy('n')), { includeMetadataChanges: true }, (s) => {
      window.latest = Object.fromEntries(s.docs.map((d) => [d.id, d.data()]))
      window.events.push({ size: s.size, changes: changes(s), fromCache: s.metadata.fromCache, pending: s.metadata.hasPendingWrites })
      window.numbers.push({ at: Date.now(), n: s.docs[0]?.data().n })
    })
  },
  async set({ id, data }) {
    await f.setDoc(f.doc(window.following.docs, id), data)
  },
  async remove({ id }) {
    await f.deleteDoc(f.doc(window.following.docs, id))
  },
  async cached({ id }) {
    return (await f.getDocFromCache(f.doc(window.following.docs, id))).data()
  },
  // queue starts writes and does not wait for them.
  async queue({ id, by }) {
    f.updateDoc(f.doc(window.following.docs, id), { n: f.increment(by) })
  },
  async read({ id }) {
    return (await f.getDocFromServer(f.doc(window.following.docs, id))).data()
  },
}

window.programs = programs
