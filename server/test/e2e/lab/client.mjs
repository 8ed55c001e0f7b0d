// What the lab can be asked for, as the web SDK sees it: the same programs run in Node and in a page.
//
// A program gets the SDK's modules, and a world: where it runs, the server's addresses, and its control routes. Most
// programs use a project of their own, so that they run at the same time.

/** Throws unless two values have the same JSON. */
export function equal(got, want, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  if (a !== b) throw new Error(`${what}: got ${a}, want ${b}`)
}

/** Throws unless a text has a part. */
export function includes(text, part, what) {
  if (!text.includes(part)) throw new Error(`${what}: ${JSON.stringify(text)} lacks ${JSON.stringify(part)}`)
}

/** Resolves with the code of the error that ends a promise, or ok. */
export const code = (promise) => promise.then(() => 'ok', (error) => error.code)

/** Resolves with the codes with which calls end that are made one after the other. */
export async function codes(times, call) {
  const all = []
  for (let i = 0; i < times; i++) all.push(await code(call()))
  return all
}

/** The delays in milliseconds that slow chooses, without what the call itself takes. */
export const slow = { faults: [{ calls: 'reads', delay: 40, times: 1 }, { calls: 'reads', delay: 10, spread: 100, seed: 3 }], delays: [40, 101, 81] }

/** Throws unless calls take at least as long as their delays. */
export async function takes(delays, call) {
  for (const delay of delays) {
    const began = performance.now()
    await call()
    const took = performance.now() - began
    if (took < delay - 1) throw new Error(`a call with a delay of ${delay} ms took ${took} ms`)
  }
}

/** Returns a project of the server that nobody has used, with its control routes. */
export function fresh(world, name) {
  const id = `demo-${name}-${crypto.randomUUID().slice(0, 13)}`
  return routes(world, id)
}

/** Returns a project with its control routes. */
export function routes({ control }, id) {
  const call = (method, verb, body) => control(method, `/projects/${id}${verb && `:${verb}`}`, body)
  return {
    id,
    faults: (...faults) => call('PUT', 'faults', { faults }),
    affected: async () => (await call('GET', 'faults')).faults.map((one) => one.affected),
    dropStreams: async (error) => (await call('POST', 'dropStreams', { error })).dropped,
    clock: (at, pinned = false) => call('PUT', 'clock', { at, pinned }),
    advance: (by) => call('POST', 'advance', { by }),
    resetClock: () => call('DELETE', 'clock'),
    snapshot: (name) => call('POST', 'snapshot', { name }),
    restore: (name) => call('POST', 'restore', { name }),
    drop: () => call('DELETE', ''),
  }
}

/** Returns a queue of a listener's snapshots. next(accepts) resolves with the next one that is accepted. */
export function listening(listen) {
  const queue = []
  let wake = () => {}
  const push = (item) => {
    queue.push(item)
    wake()
  }
  const stop = listen(push, (error) => push({ error }))
  const next = async (accepts) => {
    for (;;) {
      while (queue.length === 0) await new Promise((resolve) => (wake = resolve))
      const item = queue.shift()
      if (item.error) throw item.error
      if (accepts(item)) return item
    }
  }
  return { next, stop }
}

/** The moment at which tests let clocks stand still, and the one to which they put them back. */
export const [pinned, past] = ['2030-01-01T00:00:00Z', '2020-02-29T12:00:00Z']

/** Returns the programs of the web SDK by their names. */
export function programs(sdk, world) {
  const { app: a, firestore: f, lite, auth } = sdk
  const { project: shared, where } = world
  let apps = 0

  // use runs a program with a Firestore of a project. A page has few connections to a host, so each has a host's name.
  async function use(project, run) {
    const app = a.initializeApp({ projectId: project.id, apiKey: 'any' }, `app${apps++}`)
    const db = f.getFirestore(app)
    f.connectFirestoreEmulator(db, world.host(`h${apps}`), world.port)
    try {
      return await run({ app, db, project })
    } finally {
      await a.deleteApp(app)
    }
  }

  // own returns a program with a fresh project.
  const own = (name, run) => () => use(fresh(world, `${where}-${name}`), run)
  const open = (db, id) => f.doc(db, 'open', id)
  const server = async (d) => (await f.getDocFromServer(d)).data()
  const watch = (target) => listening((next, failed) => f.onSnapshot(target, { includeMetadataChanges: true }, next, failed))
  const settled = (s) => !s.metadata.fromCache && !s.metadata.hasPendingWrites
  const sized = (size) => (s) => settled(s) && s.size === size
  const count = (db) => () => f.getCountFromServer(f.collection(db, 'open'))

  // liteOf returns the lite SDK's database of a project. It answers by single requests, without a cache.
  function liteOf(app) {
    const db = lite.getFirestore(app)
    lite.connectFirestoreEmulator(db, world.host('lite'), world.port)
    return db
  }

  return {
    delays: own('delays', async ({ db, project }) => {
      await project.faults(...slow.faults)
      await takes(slow.delays, count(db))
    }),

    errors: own('errors', async ({ db, project }) => {
      const all = ['UNAVAILABLE', 'ABORTED', 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED', 'INTERNAL']
      await project.faults(...all.map((error) => ({ calls: 'reads', error, times: 1 })))
      equal(await codes(6, count(db)), ['unavailable', 'aborted', 'resource-exhausted', 'deadline-exceeded', 'internal', 'ok'], 'the codes of reads')
      await project.faults({ method: 'RunQuery', error: 'ABORTED' }, { method: 'RunAggregationQuery', error: 'INTERNAL', times: 1 })
      equal(await codes(2, count(db)), ['internal', 'ok'], 'the codes of a method')
    }),

    repeats: own('repeats', async ({ db, project }) => {
      const sequence = async (seed) => {
        await project.faults({ calls: 'reads', percent: 50, error: 'ABORTED', seed })
        return codes(10, count(db))
      }
      const one = await sequence(1)
      equal(await sequence(1), one, 'the same seed')
      if (JSON.stringify(await sequence(2)) === JSON.stringify(one)) throw new Error(`another seed chooses the same calls: ${one}`)
      equal([one.includes('ok'), one.includes('aborted')], [true, true], 'a share of the calls fails')
    }),

    streams: own('streams', async ({ db, project }) => {
      const w = watch(f.collection(db, 'open'))
      await w.next(sized(0))
      equal(await project.dropStreams(), 1, 'the streams that were dropped')
      await f.setDoc(open(db, 'a'), { n: 1 })
      await w.next(sized(1))
      await project.faults({ calls: 'streams', after: 1, times: 1 })
      await project.dropStreams('INTERNAL')
      await f.setDoc(open(db, 'b'), { n: 1 })
      await w.next(sized(2))
      equal(await project.affected(), [1], 'the streams that ended after a time')
      w.stop()
    }),

    lost: own('lost', async ({ db, project }) => {
      const d = open(db, 'a')
      await f.setDoc(d, { n: 0 })
      await project.faults({ calls: 'writes', lost: true, times: 1 })
      await f.updateDoc(d, { n: f.increment(1) })
      equal(await server(d), { n: 2 }, 'an increment whose answer was lost is applied again')
      await project.faults({ calls: 'writes', lost: true, times: 1 })
      let attempts = 0
      await f.runTransaction(db, async (tx) => {
        attempts++
        tx.update(d, { n: (await tx.get(d)).data().n + 10 })
      })
      equal([attempts, await server(d)], [2, { n: 22 }], 'a transaction whose answer was lost is made again')
    }),

    readOnly: own('read-only', async ({ app, db, project }) => {
      const d = open(db, 'a')
      const one = lite.doc(liteOf(app), d.path)
      await f.setDoc(d, { n: 1 })
      await project.faults({ readOnly: true })
      const written = f.setDoc(d, { n: 2 })
      equal(await code(lite.setDoc(one, { n: 3 })), 'unavailable', 'a write while read-only')
      equal((await lite.getDoc(one)).data(), { n: 1 }, 'a read while read-only')
      await project.faults()
      await written
      equal((await lite.getDoc(one)).data(), { n: 2 }, 'the queued write')
    }),

    offline: own('offline', async ({ db, project }) => {
      const d = open(db, 'a')
      await f.setDoc(d, { n: 1 })
      const w = watch(d)
      await w.next(settled)
      await project.faults({ offline: true })
      await w.next((s) => s.metadata.fromCache)
      equal(await code(f.getDocFromServer(d)), 'unavailable', 'a read of the server while offline')
      equal((await f.getDoc(d)).data(), { n: 1 }, 'a read while offline is answered from the cache')
      const written = f.setDoc(d, { n: 2 })
      await project.faults()
      await written
      equal((await w.next(settled)).data(), { n: 2 }, 'the listener online again')
      w.stop()
    }),

    clock: own('clock', async ({ db, project }) => {
      const stamp = async () => {
        await f.setDoc(open(db, 'a'), { at: f.serverTimestamp() })
        return (await server(open(db, 'a'))).at.toDate().toISOString()
      }
      const read = () => code(f.getDocFromServer(f.doc(db, 'timed/a'))) // whose rule names the moment
      equal(await read(), 'permission-denied', 'request.time of the present')
      await project.clock(pinned, true)
      equal([await read(), await stamp()], ['ok', '2030-01-01T00:00:00.000Z'], 'pinned')
      await project.advance('90m')
      equal([await read(), await stamp()], ['permission-denied', '2030-01-01T01:30:00.000Z'], 'advanced')
      await project.clock(past)
      equal((await stamp()).slice(0, 13), '2020-02-29T12', 'put back')
      await project.resetClock()
      const late = Date.now() - Date.parse(await stamp())
      if (Math.abs(late) > 3600_000) throw new Error(`after the reset a server timestamp is ${late} ms late`)
    }),

    ttl: own('ttl', async ({ db, project }) => {
      const w = watch(f.collection(db, 'expiring'))
      await f.setDoc(f.doc(db, 'expiring/a'), { until: f.Timestamp.fromMillis(Date.now() + 3600_000) })
      await w.next(sized(1))
      await project.advance('2h')
      await w.next(sized(0))
      w.stop()
    }),

    dropped: own('dropped', async ({ db, project }) => {
      const w = watch(f.collection(db, 'open'))
      await f.setDoc(open(db, 'a'), { n: 1 })
      await w.next(sized(1))
      await project.drop()
      await w.next(sized(0))
      await f.setDoc(open(db, 'b'), { n: 1 })
      equal((await w.next(sized(1))).docs[0].id, 'b', 'the document of the new project')
      w.stop()
    }),

    snapshots: own('snapshots', async ({ db, project }) => {
      const w = watch(f.collection(db, 'open'))
      await f.setDoc(open(db, 'a'), { n: 1 })
      await project.snapshot('before')
      await f.setDoc(open(db, 'b'), { n: 1 })
      await w.next(sized(2))
      await project.restore('before')
      await w.next(sized(1))
      w.stop()
    }),

    // projects uses many fresh projects and drops each by one call.
    async projects() {
      const all = Array.from({ length: world.projects }, () => fresh(world, `${where}-many`))
      const each = async (run) => {
        const left = all.values()
        const worker = async () => {
          for (const project of left) await run(project)
        }
        await Promise.all(Array.from({ length: 6 }, worker))
      }
      const inLite = async (project, run) => {
        const app = a.initializeApp({ projectId: project.id, apiKey: 'any' }, project.id)
        const result = await run(lite.doc(liteOf(app), 'open/a'))
        await a.deleteApp(app)
        return result
      }
      await each((project) => inLite(project, (d) => lite.setDoc(d, { of: project.id })))
      const some = [all[0], all.at(-1)]
      const read = (project) => inLite(project, async (d) => (await lite.getDoc(d)).data())
      equal(await Promise.all(some.map(read)), some.map(({ id }) => ({ of: id })), 'each project has a document of its own')
      await each((project) => project.drop())
      equal((await Promise.all(some.map(read))).map((data) => data ?? 'none'), ['none', 'none'], 'projects that were dropped')
    },

    // account uses the server's own project, because a client of Auth names none: no other program may run meanwhile.
    account: () =>
      use(routes(world, shared), async ({ app, db, project }) => {
        const users = auth.initializeAuth(app, { persistence: auth.inMemoryPersistence })
        auth.connectAuthEmulator(users, world.auth, { disableWarnings: true })
        const [email, password] = [`ann-${where}@example.org`, 'secret-of-ann'] // an account of the seed
        const signIn = () => auth.signInWithEmailAndPassword(users, email, password)
        await failing({ project, users, signIn })
        const { user } = await signIn()
        equal((await user.getIdTokenResult()).claims.role, 'admin', 'the claims of the seed')
        await denied(db, user)
        await expiring({ db, project, users, user })
        await codesOf({ project, users, email })
        await project.resetClock()
      }),
  }

  // failing lets calls of Auth fail.
  async function failing({ project, users, signIn }) {
    const name = { calls: 'auth', method: 'signInWithPassword' }
    await project.faults({ ...name, error: 'TOO_MANY_ATTEMPTS_TRY_LATER', times: 1 }, { ...name, lost: true, times: 1 })
    equal(await codes(3, signIn), ['auth/too-many-requests', 'auth/network-request-failed', 'ok'], 'sign-ins')
    await project.faults({ calls: 'auth', method: 'signUp', lost: true, times: 1 })
    const signUp = () => auth.createUserWithEmailAndPassword(users, `new-${where}@example.org`, 'secret of new')
    equal(await codes(2, signUp), ['auth/network-request-failed', 'auth/email-already-in-use'], 'a sign-up whose answer is lost')
    await project.faults({ offline: true })
    equal(await codes(1, signIn), ['auth/network-request-failed'], 'a sign-in while offline')
    await project.faults()
  }

  // denied makes requests that the rules deny, and reads the reason in the errors.
  async function denied(db, { uid }) {
    const d = f.doc(db, `docs/${where}`)
    const reason = `request.auth.uid == resource.data.owner is false, request.auth.uid = "${uid}", resource.data.owner = "eve".`
    const attempts = {
      get: [() => f.getDocFromServer(d), reason],
      write: [() => f.updateDoc(d, { n: 1 }), reason],
      list: [() => f.getDocsFromServer(f.collection(db, 'docs')), 'request.auth.uid == resource.data.owner'],
      count: [() => f.getCountFromServer(f.collection(db, 'docs')), 'request.auth.uid == resource.data.owner'],
    }
    for (const [what, [call, want]] of Object.entries(attempts)) {
      const error = await call().then(() => ({ code: 'ok' }), (e) => e)
      equal(error.code, 'permission-denied', what)
      includes(error.message, 'Line ', what)
      includes(error.message, want, what)
    }
    equal(await server(f.doc(db, `staff/${where}`)), { n: 1 }, 'a request that rules allow by a claim of the seed')
  }

  // expiring lets the user's tokens expire: the streams of Firestore take a new one, and Auth signs the user out.
  async function expiring({ db, project, users, user }) {
    const first = await user.getIdToken()
    const renewals = listening((next, failed) => users.onIdTokenChanged(async (one) => next({ token: await one.getIdToken() }), failed))
    const w = watch(f.doc(db, `staff/${where}`))
    await w.next(settled)
    await project.advance('2h')
    // The server ends the stream, and the SDK gets another token for the next one.
    await renewals.next((one) => one.token !== first)
    await f.setDoc(open(db, where), { n: 1 })
    equal(await server(f.doc(db, `staff/${where}-2`)), { n: 2 }, 'a read after the token has expired')
    for (const one of [w, renewals]) one.stop()
    await project.advance('2h')
    equal(await code(auth.reload(user)), 'auth/invalid-user-token', 'a call of Auth with an expired token')
  }

  // codesOf lets a code for a new password expire.
  async function codesOf({ project, users, email }) {
    const sent = async () => {
      await auth.sendPasswordResetEmail(users, email)
      return (await world.codes()).findLast((one) => one.email === email).oobCode
    }
    const old = await sent()
    await project.advance('2h')
    equal(await code(auth.confirmPasswordReset(users, old, 'other secret')), 'auth/expired-action-code', 'a code of two hours ago')
    equal(await code(auth.confirmPasswordReset(users, await sent(), 'secret-of-ann')), 'ok', 'a new code')
  }
}
