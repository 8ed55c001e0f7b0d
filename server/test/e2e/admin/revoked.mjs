// A revoked key of clave/admin: Auth and Firestore refuse it with an error that says so.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { deleteApp } from 'firebase-admin/app'
import { getAuth } from 'firebase-admin/auth'
import { getFirestore } from 'firebase-admin/firestore'
import { claveApp } from 'clave/admin'
import { ca, key } from './setup.mjs'

const app = claveApp({ key, ca })

after(() => deleteApp(app))

test('Auth', () => assert.rejects(getAuth(app).listUsers(1), { code: 'app/invalid-credential', message: /revoked/ }))

test('Firestore', () => assert.rejects(getFirestore(app).doc('a/b').get(), { code: 16, message: /revoked/ }))
