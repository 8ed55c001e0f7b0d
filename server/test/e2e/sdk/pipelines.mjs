// Pipelines that read and write, by the full SDK (gRPC) and the lite one (REST). Reads FIRESTORE_EMULATOR_HOST,
// GCLOUD_PROJECT and DATABASE, which has the Enterprise edition and rules that allow c, made and big to everybody.
import assert from 'node:assert/strict'
import { deleteApp, initializeApp } from 'firebase/app'
import * as full from 'firebase/firestore'
import * as lite from 'firebase/firestore/lite'
import * as fullPipelines from 'firebase/firestore/pipelines'
import * as litePipelines from 'firebase/firestore/lite/pipelines'

const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':')

/** Runs all with one of the SDKs. */
async function run(name, f, p, get) {
  const app = initializeApp({ projectId: process.env.GCLOUD_PROJECT, apiKey: 'demo' }, name)
  const db = f.getFirestore(app, process.env.DATABASE)
  f.connectFirestoreEmulator(db, host, Number(port))
  const { execute, field, constant } = p
  const from = (collection) => db.pipeline().collection(`c/${name}/${collection}`)
  const read = async (path) => (await get(f.doc(db, `c/${name}/${path}`))).data()
  const modified = async (pipeline, options) => {
    const { results } = await execute(options ? { pipeline, ...options } : pipeline)
    assert.equal(results.length, 1)
    return results[0].data().documents_modified
  }
  for (let n = 1; n <= 4; n++) await f.setDoc(f.doc(db, `c/${name}/a/${n}`), { n, kind: n % 2 ? 'odd' : 'even' })

  const sums = await execute(from('a').aggregate({ accumulators: [field('n').sum().as('sum')], groups: ['kind'] }).sort(field('kind').ascending()))
  assert.deepEqual(sums.results.map((r) => r.data()), [{ kind: 'even', sum: 6 }, { kind: 'odd', sum: 4 }])

  assert.equal(await modified(from('a').where(field('kind').equal('odd')).update(field('n').add(10).as('n'), constant('seen').as('state'))), 2)
  assert.deepEqual(await read('a/3'), { n: 13, kind: 'odd', state: 'seen' })
  assert.deepEqual(await read('a/2'), { n: 2, kind: 'even' })

  assert.equal(await modified(from('a').insert({ collection: `c/${name}/copy` })), 4)
  assert.deepEqual(await read('copy/1'), { n: 11, kind: 'odd', state: 'seen' })
  const exists = { full: 'already-exists', lite: 'aborted' }[name] // The lite SDK reads the status of HTTP only.
  await assert.rejects(execute(from('a').insert({ collection: `c/${name}/copy` })), { code: exists, message: /already exists/ })

  assert.equal(await modified(from('a').upsert({ collection: `c/${name}/copy`, additionalFields: [constant(0).as('n')] })), 4)
  assert.equal((await read('copy/3')).n, 0)

  const literals = () => db.pipeline().literals([{ id: 'x', n: 1 }, { id: 'y', n: 2 }])
  const made = { collection: `c/${name}/made`, documentIdExpression: field('id') }
  await assert.rejects(execute(literals().upsert(made)), /rejected/)

  // What one document refuses changes none of them.
  await f.setDoc(f.doc(db, `c/${name}/shut/2`), { n: 0 })
  await assert.rejects(execute({ pipeline: from('a').upsert({ collection: `c/${name}/shut` }), atomic: true }), { code: 'permission-denied' })
  assert.equal(await read('shut/1'), undefined)
  await assert.rejects(execute({ pipeline: db.pipeline().collection('hidden').delete(), atomic: true }), { code: 'permission-denied' })

  assert.equal(await modified(from('copy').where(field('kind').equal('even')).delete()), 2)
  assert.equal(await read('copy/2'), undefined)
  assert.equal(await modified(from('copy').delete(), { atomic: true }), 2)
  assert.equal((await execute(from('copy'))).results.length, 0)
  await deleteApp(app)
}

await run('full', full, fullPipelines, full.getDoc)
await run('lite', lite, litePipelines, lite.getDoc)
console.log('ok')
process.exit(0)
