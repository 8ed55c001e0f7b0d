// FirestoreAdminClient of @google-cloud/firestore, over gRPC with TLS: every method, except that clones that succeed are
// in clones.mjs.
// GRPC_DEFAULT_SSL_ROOTS_FILE_PATH names the authority of the server's certificate.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import firestore from '@google-cloud/firestore'
import { key, methods, tracked, unique } from './setup.mjs'

const { hostname, port } = new URL(process.env.CLAVE_ADMIN_API)
const own = new firestore.v1.FirestoreAdminClient({ keyFilename: key, apiEndpoint: hostname, servicePath: hostname, port: Number(port) })
const called = new Set()
const client = tracked(own, '', called)
const project = await client.getProjectId()
const database = `projects/${project}/databases/(default)`
const parent = `${database}/collectionGroups/${unique('g')}`

/** Returns all elements of an iterable. */
async function all(iterable) {
  const found = []
  for await (const one of iterable) found.push(one)
  return found
}

after(() => client.close())

test('databases', async () => {
  const [{ databases }] = await client.listDatabases({ parent: `projects/${project}` })
  assert.ok(databases.some(({ name }) => name === database))
  const [operation] = await client.updateDatabase({ database: { name: database, deleteProtectionState: 'DELETE_PROTECTION_ENABLED' }, updateMask: { paths: ['delete_protection_state'] } })
  const [updated] = await operation.promise()
  const [again] = await client.getDatabase({ name: database })
  assert.equal(again.etag, updated.etag)
  assert.equal(again.deleteProtectionState, 'DELETE_PROTECTION_ENABLED')
  await assert.rejects(client.getDatabase({ name: `projects/${project}/databases/none` }), { code: 5, message: /does not exist/ })
})

test('indexes and fields', async () => {
  const index = { queryScope: 'COLLECTION', fields: [{ fieldPath: 'a', order: 'ASCENDING' }, { fieldPath: 'b', arrayConfig: 'CONTAINS' }] }
  const [operation] = await client.createIndex({ parent, index })
  const [created] = await operation.promise()
  const [[listed]] = await client.listIndexes({ parent })
  assert.equal(listed.name, created.name)
  assert.equal(listed.state, 'READY')
  const [got] = await client.getIndex({ name: created.name })
  assert.equal(got.name, created.name)
  assert.deepEqual((await all(client.listIndexesAsync({ parent }))).map(({ name }) => name), [created.name])
  await assert.rejects(client.createIndex({ parent, index }), { code: 6, message: /index already exists/ })
  await client.deleteIndex({ name: created.name })
  await assert.rejects(client.getIndex({ name: created.name }), { code: 5 })
  const name = `${parent}/fields/until`
  const [change] = await client.updateField({ field: { name, indexConfig: { indexes: [] }, ttlConfig: {} }, updateMask: { paths: ['index_config', 'ttl_config'] } })
  await change.promise()
  const [field] = await client.getField({ name })
  assert.equal(field.ttlConfig.state, 'ACTIVE')
  const [fields] = await client.listFields({ parent, filter: 'ttlConfig:*' })
  assert.deepEqual(fields.map((one) => one.name), [name])
  assert.deepEqual((await all(client.listFieldsAsync({ parent, filter: 'ttlConfig:*' }))).map((one) => one.name), [name])
})

const noClones = typeof client.cloneDatabase === 'function' ? false : 'this version of the client does not clone databases'

test('clones', { skip: noClones }, async () => {
  const databaseId = unique('clone').toLowerCase()
  const snapshotTime = { seconds: Math.floor(Date.now() / 60000) * 60 }
  const pitrSnapshot = { database, snapshotTime: { seconds: snapshotTime.seconds - 600000000 } }
  await assert.rejects(client.cloneDatabase({ parent: `projects/${project}`, databaseId, pitrSnapshot }), { code: 9, message: /too old/ })
  const [{ backupSchedules }] = await client.listBackupSchedules({ parent: database })
  assert.ok(backupSchedules.some(({ name }) => name === `${database}/backupSchedules/flags`))
})

test('exports and imports', async () => {
  const outputUriPrefix = `gs://${unique('exports')}/one`
  const [operation] = await client.exportDocuments({ name: database, outputUriPrefix, collectionIds: ['none'] })
  const [{ outputUriPrefix: place }, metadata] = await operation.promise()
  assert.equal(place, outputUriPrefix)
  assert.ok(['SUCCESSFUL', 5].includes(metadata.operationState))
  await assert.rejects(client.exportDocuments({ name: database, outputUriPrefix }), { code: 3, message: /Path already exists/ })
  await assert.rejects(client.exportDocuments({ name: database, outputUriPrefix: '/etc' }), { code: 3, message: /gs:/ })
  const [load] = await client.importDocuments({ name: database, inputUriPrefix: place })
  await load.promise()
  const [missing] = await client.importDocuments({ name: database, inputUriPrefix: 'gs://no/where' })
  await assert.rejects(missing.promise(), { code: 5, message: /holds no export/ })
})

test('operations', async () => {
  const [operation] = await client.bulkDeleteDocuments({ name: database, collectionIds: [unique('none')] })
  const { name } = operation
  await client.cancelOperation({ name }).catch((error) => assert.equal(error.code, 9)) // it may have ended
  await operation.promise().catch((error) => assert.equal(error.code, 1))
  const [done] = await client.getOperation({ name })
  assert.equal(done.done, true)
  await assert.rejects(client.cancelOperation({ name }), { code: 9, message: /Cannot cancel an operation that is completed/ })
  assert.ok((await all(client.listOperationsAsync({ name: database }))).some((one) => one.name === name))
  await client.deleteOperation({ name })
  await assert.rejects(client.getOperation({ name }), { code: 5 })
  await assert.rejects(client.cancelOperation({ name }), { code: 5 })
})

test('locations', async () => {
  const [place] = await client.getLocation({ name: `projects/${project}/locations/local` })
  assert.equal(place.locationId, 'local')
  assert.deepEqual((await all(client.listLocationsAsync({ name: `projects/${project}` }))).map(({ locationId }) => locationId), ['local'])
})

const noCreds = typeof client.createUserCreds === 'function' ? false : 'this version of the client has no user credentials'

test('user credentials, which the server does not have', { skip: noCreds }, async () => {
  const name = `${database}/userCreds/ada`
  const lacks = (method) => ({ code: 12, message: `12 UNIMPLEMENTED: This server does not have the method ${method}.` })
  await assert.rejects(client.createUserCreds({ parent: database, userCredsId: 'ada', userCreds: {} }), lacks('CreateUserCreds'))
  await assert.rejects(client.listUserCreds({ parent: database }), lacks('ListUserCreds'))
  await assert.rejects(client.getUserCreds({ name }), lacks('GetUserCreds'))
  await assert.rejects(client.enableUserCreds({ name }), lacks('EnableUserCreds'))
  await assert.rejects(client.disableUserCreds({ name }), lacks('DisableUserCreds'))
  await assert.rejects(client.resetUserPassword({ name }), lacks('ResetUserPassword'))
  await assert.rejects(client.deleteUserCreds({ name }), lacks('DeleteUserCreds'))
})

test('schedules of backups', async () => {
  await assert.rejects(client.createBackupSchedule({ parent: database, backupSchedule: {} }), { code: 3, message: /retention/ })
  const backupSchedule = { retention: { seconds: 14 * 7 * 86400 }, weeklyRecurrence: { day: 'SUNDAY' } }
  const [created] = await client.createBackupSchedule({ parent: database, backupSchedule })
  assert.equal(created.weeklyRecurrence.day, 'SUNDAY')
  await assert.rejects(client.createBackupSchedule({ parent: database, backupSchedule }), { code: 6, message: /weekly backup schedule/ })
  const [updated] = await client.updateBackupSchedule({ backupSchedule: { name: created.name, retention: { seconds: 86400 } }, updateMask: { paths: ['retention'] } })
  assert.equal(Number(updated.retention.seconds), 86400)
  const [{ backupSchedules }] = await client.listBackupSchedules({ parent: database })
  assert.ok(backupSchedules.some(({ name }) => name === created.name))
  const [got] = await client.getBackupSchedule({ name: created.name })
  assert.equal(got.weeklyRecurrence.day, 'SUNDAY')
  await client.deleteBackupSchedule({ name: created.name })
  await assert.rejects(client.getBackupSchedule({ name: created.name }), { code: 5 })
})

test('databases that are created and deleted', async () => {
  const parent = `projects/${project}`
  const databaseId = unique('own').toLowerCase()
  const request = { parent, databaseId, database: { type: 'FIRESTORE_NATIVE', locationId: 'local', deleteProtectionState: 'DELETE_PROTECTION_ENABLED' } }
  const [operation] = await client.createDatabase(request)
  const [created] = await operation.promise()
  assert.equal(created.name, `${parent}/databases/${databaseId}`)
  await assert.rejects(client.createDatabase(request), { code: 6 })
  await assert.rejects(client.deleteDatabase({ name: created.name }), { code: 9, message: /delete protection enabled/ })
  const [change] = await client.updateDatabase({ database: { name: created.name, deleteProtectionState: 'DELETE_PROTECTION_DISABLED' }, updateMask: { paths: ['delete_protection_state'] } })
  await change.promise()
  const [deletion] = await client.deleteDatabase({ name: created.name })
  await deletion.promise()
  await assert.rejects(client.getDatabase({ name: created.name }), { code: 5 })
})

test('backups and restores', async () => {
  const parent = `projects/${project}`
  const [{ backups }] = await client.listBackups({ parent: `${parent}/locations/-` })
  const own = backups.filter((one) => one.database === database)
  assert.ok(own.length > 0)
  // The newest is first, and is not removed while it is restored.
  const [backup] = await client.getBackup({ name: own[0].name })
  assert.equal(backup.state, 'READY')
  const databaseId = unique('restored').toLowerCase()
  const [operation] = await client.restoreDatabase({ parent, databaseId, backup: backup.name })
  const [restored, metadata] = await operation.promise()
  assert.equal(restored.name, `${parent}/databases/${databaseId}`)
  assert.equal(metadata.backup, backup.name)
  const [[index]] = await client.listIndexes({ parent: `${restored.name}/collectionGroups/go` })
  assert.equal(index.state, 'READY')
  await assert.rejects(client.restoreDatabase({ parent, databaseId, backup: backup.name }), { code: 6 })
  await assert.rejects(client.restoreDatabase({ parent, databaseId: unique('none').toLowerCase(), backup: `${parent}/locations/local/backups/none` }), { code: 5 })
  await assert.rejects(client.deleteBackup({ name: backup.name }), { code: 12, message: /--backup-keep/ })
  const [deletion] = await client.deleteDatabase({ name: restored.name })
  await deletion.promise()
})

test('every method', () => {
  // What remains makes names of resources, reads results of operations, or calls other methods.
  const calls = methods(own, '').filter((name) => !/Path$|^match|Progress$|Stream$|^initialize$|^close$/.test(name))
  assert.deepEqual(calls.filter((name) => !called.has(name)), [])
})
