// FirestoreAdminClient of @google-cloud/firestore, over gRPC with TLS: a clone of the default database as it was at
// CLAVE_CLONED, a whole minute in seconds, and the operation that makes it.
// GRPC_DEFAULT_SSL_ROOTS_FILE_PATH names the authority of the server's certificate.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import firestore from '@google-cloud/firestore'
import { key } from './setup.mjs'

const { hostname, port } = new URL(process.env.CLAVE_ADMIN_API)
const client = new firestore.v1.FirestoreAdminClient({ keyFilename: key, apiEndpoint: hostname, servicePath: hostname, port: Number(port) })
const parent = `projects/${await client.getProjectId()}`
const database = `${parent}/databases/(default)`
const databaseId = 'cloned'
const pitrSnapshot = { database, snapshotTime: { seconds: Number(process.env.CLAVE_CLONED) } }

after(() => client.close())

test('a clone', async () => {
  const [operation] = await client.cloneDatabase({ parent, databaseId, pitrSnapshot })
  const [cloned, metadata] = await operation.promise()
  assert.equal(cloned.name, `${parent}/databases/${databaseId}`)
  assert.equal(metadata.database, cloned.name)
  assert.equal(metadata.pitrSnapshot.database, database)
  const again = await client.checkCloneDatabaseProgress(operation.name)
  assert.equal(again.done, true)
  assert.equal(again.result.name, cloned.name)
  const [listed] = await client.operationsClient.listOperations({ name: cloned.name })
  assert.ok(listed.some(({ name }) => name === operation.name))
  const [{ databases }] = await client.listDatabases({ parent })
  assert.ok(databases.some(({ name }) => name === cloned.name))
  await assert.rejects(client.cloneDatabase({ parent, databaseId, pitrSnapshot }), { code: 6, message: /Please use another database_id/ })
})
