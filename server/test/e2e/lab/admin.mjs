// What the lab can be asked for, as the Admin SDK for Node sees it.
import { codes, equal, fresh, listening, past, pinned, slow, takes } from './client.mjs'

/** The gRPC codes of the SDK's errors. */
const [alreadyExists, internal] = [6, 13]

/** Returns the programs of the Admin SDK by their names. */
export function programs(sdk, world) {
  const { app: a, firestore: f, auth } = sdk
  let apps = 0

  // use runs a program with a Firestore of a project.
  async function use(project, run) {
    const app = a.initializeApp({ projectId: project.id }, `admin${apps++}`)
    const db = f.getFirestore(app)
    try {
      return await run({ app, db, project, d: db.doc('open/a'), users: auth.getAuth(app) })
    } finally {
      await a.deleteApp(app)
    }
  }

  // own returns a program with a fresh project.
  const own = (name, run) => () => use(fresh(world, `admin-${name}`), run)
  const watch = (query) => listening((next, failed) => query.onSnapshot(next, failed))
  const sized = (size) => (s) => s.size === size

  return {
    delays: own('delays', async ({ d, project }) => {
      await project.faults(...slow.faults)
      await takes(slow.delays, () => d.get())
    }),

    errors: own('errors', async ({ d, project, users }) => {
      await project.faults({ calls: 'writes', error: 'INTERNAL', times: 2 }, { calls: 'writes', error: 'UNAVAILABLE', times: 1 })
      equal(await codes(3, () => d.set({ n: 1 })), [internal, internal, 'ok'], 'the codes of writes')
      equal(await project.affected(), [2, 1], 'writes that failed: the SDK repeats the one that was unavailable')
      await project.faults({ method: 'BatchWrite', error: 'INTERNAL' }, { method: 'Commit', error: 'INTERNAL', times: 1 })
      equal(await codes(2, () => d.set({ n: 1 })), [internal, 'ok'], 'the codes of a method')
      await project.faults({ calls: 'auth', method: 'accounts', error: 'EMAIL_EXISTS', times: 1 })
      equal(await codes(2, () => users.createUser({ uid: 'ann' })), ['auth/email-already-exists', 'ok'], 'the codes of Auth')
    }),

    repeats: own('repeats', async ({ d, project }) => {
      const sequence = async (seed) => {
        await project.faults({ calls: 'writes', percent: 50, error: 'INTERNAL', seed })
        return codes(10, () => d.set({ n: 1 }))
      }
      const one = await sequence(1)
      equal(await sequence(1), one, 'the same seed')
      equal([one.includes('ok'), one.includes(internal)], [true, true], 'a share of the calls fails')
    }),

    streams: own('streams', async ({ db, d, project }) => {
      const w = watch(db.collection('open'))
      await w.next(sized(0))
      equal(await project.dropStreams('INTERNAL'), 1, 'the streams that were dropped')
      await d.set({ n: 1 })
      await w.next(sized(1))
      w.stop()
    }),

    lost: own('lost', async ({ db, d, project, users }) => {
      await project.faults({ calls: 'writes', lost: true, times: 1, error: 'INTERNAL' })
      equal(await codes(1, () => d.create({ n: 1 })), [internal], 'a create whose answer was lost')
      equal((await d.get()).data(), { n: 1 }, 'it has happened')
      await project.faults({ calls: 'writes', lost: true, times: 1 })
      equal(await codes(1, () => db.doc('open/b').create({ n: 1 })), [alreadyExists], 'a create that the SDK repeats')
      await project.faults({ calls: 'auth', lost: true, times: 1 })
      equal(await codes(1, () => users.createUser({ uid: 'ann' })), ['auth/uid-already-exists'], 'a call of Auth that the SDK repeats')
    }),

    readOnly: own('read-only', async ({ d, project }) => {
      await d.set({ n: 1 })
      await project.faults({ readOnly: true, error: 'INTERNAL' })
      equal(await codes(1, () => d.set({ n: 2 })), [internal], 'a write while read-only')
      equal((await d.get()).data(), { n: 1 }, 'a read while read-only')
    }),

    offline: own('offline', async ({ db, d, project, users }) => {
      const w = watch(db.collection('open'))
      await w.next(sized(0))
      await project.faults({ offline: true })
      const calls = [d.get(), users.createUser({ uid: 'ann' })] // which the SDK repeats
      while ((await project.affected())[0] < 2);
      await project.faults()
      const [read, made] = await Promise.all(calls)
      equal([read.exists, made.uid], [false, 'ann'], 'a read and a call of Auth that began offline')
      await d.set({ n: 1 })
      await w.next(sized(1))
      w.stop()
    }),

    clock: own('clock', async ({ d, project }) => {
      const stamp = async () => {
        await d.set({ at: f.FieldValue.serverTimestamp() })
        return (await d.get()).data().at.toDate().toISOString()
      }
      await project.clock(pinned, true)
      equal(await stamp(), '2030-01-01T00:00:00.000Z', 'pinned')
      await project.advance('90m')
      equal(await stamp(), '2030-01-01T01:30:00.000Z', 'advanced')
      await project.clock(past)
      equal((await stamp()).slice(0, 13), '2020-02-29T12', 'put back')
      await project.resetClock()
      equal((await stamp()) > '2026', true, 'reset')
    }),

    locks: own('locks', async ({ db, d, project }) => {
      await d.set({ n: 1 })
      let attempts = 0
      await db.runTransaction(async (tx) => {
        const { n } = (await tx.get(d)).data()
        if (attempts++ === 0) await project.advance('271s') // longer than a transaction may be idle
        tx.update(d, { n: n + 1 })
      })
      equal([attempts, (await d.get()).data()], [2, { n: 2 }], 'a transaction that was idle is made again')
    }),

    ttl: own('ttl', async ({ db, project }) => {
      const w = watch(db.collection('expiring'))
      await db.doc('expiring/a').set({ until: new Date(Date.now() + 3600_000) })
      await w.next(sized(1))
      await project.advance('2h')
      await w.next(sized(0))
      w.stop()
    }),

    dropped: own('dropped', async ({ db, d, project, users }) => {
      const w = watch(db.collection('open'))
      await d.set({ n: 1 })
      await w.next(sized(1))
      await users.createUser({ uid: 'ann' })
      await project.drop()
      await w.next(sized(0))
      equal(await codes(1, () => users.getUser('ann')), ['auth/user-not-found'], 'the account of a project that was dropped')
      w.stop()
    }),

    snapshots: own('snapshots', async ({ db, d, project }) => {
      const w = watch(db.collection('open'))
      await d.set({ n: 1 })
      await project.snapshot('before')
      await db.doc('open/b').set({ n: 1 })
      await w.next(sized(2))
      await project.restore('before')
      await w.next(sized(1))
      w.stop()
    }),

    // seeds applies seeds of all forms by the commands, reads them, changes a document, and finds the difference.
    seeds: own('seeds', async ({ db, project, users }) => {
      const seed = (...args) => world.clave('seed', ...args, ...world.seeds, '--project', project.id)
      equal((await seed('apply')).code, 0, 'clave seed apply')
      const { at, place, boss, bytes, meaning, big } = (await db.doc('typed/a').get()).data()
      equal(
        [at.toDate().toISOString(), place.latitude, boss.path, bytes.toString(), meaning.toArray(), big],
        ['2026-01-02T03:04:05.000Z', 41.5, 'docs/node', 'hello', [0.5, -1], 7],
        'values of the seed of YAML',
      )
      equal([(await db.doc('more/json').get()).data(), (await db.doc('more/module').get()).data()], [{ n: 1 }, { n: 2 }], 'the other seeds')
      equal((await users.getUserByEmail('ann-node@example.org')).customClaims, { role: 'admin' }, 'the claims of the seed')
      equal((await seed('diff')).code, 0, 'clave seed diff of what was applied')
      await db.doc('more/json').update({ n: 5 })
      const { code, out } = await seed('diff')
      equal([code, out.includes('n: 5, in the seed 1')], [1, true], `clave seed diff of a change: ${out}`)
    }),

    // sessions uses the server's own project, in which clients of Auth sign in.
    sessions: () =>
      use(world.own, async ({ users, project }) => {
        const { idToken } = await world.signIn()
        const cookie = (token) => users.createSessionCookie(token, { expiresIn: 3600_000 })
        equal(await codes(1, () => cookie(idToken)), ['ok'], 'a session cookie for a token')
        await project.advance('2h')
        equal(await codes(1, () => cookie(idToken)), ['auth/invalid-id-token'], 'a session cookie for a token of two hours ago')
        const { exp, iat } = JSON.parse(Buffer.from((await cookie((await world.signIn()).idToken)).split('.')[1], 'base64url'))
        equal([exp - iat, iat > Date.now() / 1000 + 7000], [3600, true], 'the times of a session cookie')
        await project.resetClock()
      }),
  }
}
