// A suite like the samples of @firebase/rules-unit-testing. It finds all services by the environment variables, loads
// rules, clears data, reads the coverage, and uses Cloud Storage, which responds that it is not available. Arguments:
// the frontend's folder.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import path from 'node:path'

const require = createRequire(path.join(process.argv[2], 'package.json'))
const { assertFails, assertSucceeds, initializeTestEnvironment } = require('@firebase/rules-unit-testing')
const { doc, getDoc, setDoc, serverTimestamp, setLogLevel } = require('firebase/firestore')
const { getDownloadURL, ref } = require('firebase/storage')
setLogLevel('silent')

const rules = `rules_version = '2';
service cloud.firestore { match /databases/{database}/documents {
  match /users/{user} {
    allow read: if true;
    allow create: if request.auth.uid == user && request.resource.data.createdAt == request.time;
  }
  match /rooms/{room} {
    allow create: if request.auth.uid == request.resource.data.owner;
    allow update: if resource.data.owner == request.resource.data.owner;
  }
} }`
const env = await initializeTestEnvironment({ firestore: { rules } })
assert.deepEqual(Object.keys(env.emulators).sort(), ['firestore', 'hub', 'storage'])
const alice = env.authenticatedContext('alice', { email: 'alice@example.org' })
const visitor = env.unauthenticatedContext()
const at = (context, name) => doc(context.firestore(), name)

await env.withSecurityRulesDisabled((context) => setDoc(at(context, 'users/old'), { n: 1 }))
assert.equal((await assertSucceeds(getDoc(at(visitor, 'users/old')))).data().n, 1)
await env.clearFirestore()
assert.equal((await assertSucceeds(getDoc(at(visitor, 'users/old')))).exists(), false)

await assertSucceeds(setDoc(at(alice, 'users/alice'), { createdAt: serverTimestamp() }))
await assertFails(setDoc(at(alice, 'users/bob'), { createdAt: serverTimestamp() }))
await assertFails(setDoc(at(alice, 'users/alice2'), {}))
await assertFails(getDoc(at(visitor, 'other/a')))
await assertSucceeds(setDoc(at(alice, 'rooms/snow'), { owner: 'alice' }))
await assertFails(setDoc(at(alice, 'rooms/snow'), { owner: 'bob' }))

const { host, port } = env.emulators.firestore
const coverage = await fetch(`http://${host}:${port}/emulator/v1/projects/${env.projectId}:ruleCoverage.html`)
assert.match(await coverage.text(), /30 of 30 expressions evaluated/)

// The SDK retries some statuses for two minutes. This one is final, and it is not a denial.
const file = ref(alice.storage(), 'a.txt')
await assert.rejects(getDownloadURL(file), { code: 'storage/unknown', status: 400 })
await assert.rejects(assertFails(getDownloadURL(file)), /storage\/unknown/)
const set = { projectId: 'demo-sample', storage: { rules: 'service firebase.storage {}' } }
await assert.rejects(initializeTestEnvironment(set), /Clave has no Cloud Storage/)
assert.throws(() => alice.database(), /database emulator is not running/)
await env.cleanup()
process.exit(0)
