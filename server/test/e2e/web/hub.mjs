// Finds Firestore through the Emulator Hub alone, as tests with @firebase/rules-unit-testing do, and uses it. Arguments: the frontend's
// folder. FIREBASE_EMULATOR_HUB is the hub's address.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import path from 'node:path'

const require = createRequire(path.join(process.argv[2], 'package.json'))
const { assertFails, assertSucceeds, initializeTestEnvironment, withFunctionTriggersDisabled } = require('@firebase/rules-unit-testing')
const { doc, getDoc, setDoc, setLogLevel } = require('firebase/firestore')
setLogLevel('silent')

assert.equal(process.env.FIRESTORE_EMULATOR_HOST, undefined)
const env = await initializeTestEnvironment({ projectId: process.env.GCLOUD_PROJECT })
const db = env.unauthenticatedContext().firestore()
await assertSucceeds(getDoc(doc(db, 'open/a')))
await assertFails(setDoc(doc(db, 'closed/a'), {}))
await assert.rejects(withFunctionTriggersDisabled(() => {}), /HTTP Error 400/)
await env.cleanup()
process.exit(0)
