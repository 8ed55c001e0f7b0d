// App Check by firebase-admin and clave/admin: tokens that a server issues to its apps, their verification, and their
// use once. The server enforces App Check for Authentication and Firestore.
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { deleteApp, initializeApp } from 'firebase-admin/app'
import { getAppCheck } from 'firebase-admin/app-check'
import { getAuth } from 'firebase-admin/auth'
import { claveApp, claveFirestore, claveOptions } from 'clave/admin'
import { ca, call, key, rejects, unique, url } from './setup.mjs'

const app = initializeApp(claveOptions({ key, ca }), unique('app'))
const checks = getAppCheck(app)
const appId = '1:123456789:web:abcdef'
after(() => deleteApp(app))

test('a token is issued and verified', async () => {
  const { token, ttlMillis } = await checks.createToken(appId)
  assert.equal(ttlMillis, 3_600_000)
  const verified = await checks.verifyToken(token)
  assert.equal(verified.appId, appId)
  assert.equal(verified.token.iss, 'https://firebaseappcheck.googleapis.com/123456789')
  assert.equal(verified.token.exp - verified.token.iat, 3600)
  assert.equal(verified.alreadyConsumed, undefined)
  assert.equal((await checks.createToken(appId, { ttlMillis: 7 * 86_400_000 })).ttlMillis, 7 * 86_400_000)
})

test('a token is used once', async () => {
  const { token } = await checks.createToken(appId)
  assert.equal((await checks.verifyToken(token, { consume: true })).alreadyConsumed, false)
  assert.equal((await checks.verifyToken(token, { consume: true })).alreadyConsumed, true)
  const other = await checks.createToken(appId)
  const uses = await Promise.all(Array.from({ length: 8 }, () => checks.verifyToken(other.token, { consume: true })))
  assert.equal(uses.filter((use) => !use.alreadyConsumed).length, 1)
})

test('changed tokens are refused', async () => {
  const { token } = await checks.createToken(appId)
  const [head, body, signature] = token.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url'))
  const forged = [head, Buffer.from(JSON.stringify({ ...claims, sub: '1:1:web:1' })).toString('base64url'), signature].join('.')
  await rejects(checks.verifyToken(forged), 'app-check/invalid-argument')
})

test('only administrators mark tokens as used', async () => {
  const { token } = await checks.createToken(appId)
  const project = app.options.projectId
  const path = `/firebaseappcheck.googleapis.com/v1beta/projects/${project}:verifyAppCheckToken`
  assert.equal((await call(`${path}?key=k`, { appCheckToken: token })).status, 401)
  assert.equal((await call(path, { appCheckToken: token })).status, 403)
})

test('servers need no token, and clients need one', async () => {
  const admin = claveApp({ key, ca, url }, unique('app'))
  try {
    const doc = claveFirestore(admin).doc(`checks/${unique('d')}`)
    await doc.set({ n: 1 })
    assert.equal((await doc.get()).get('n'), 1)
    const user = await getAuth(admin).createUser({})
    await getAuth(admin).deleteUser(user.uid)
  } finally {
    await deleteApp(admin)
  }
  const signUp = (headers) => call('/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k', {}, headers)
  for (const headers of [{}, { 'x-firebase-appcheck': 'x' }, { 'x-firebase-appcheck': 'eyJlcnJvciI6IlVOS05PV05fRVJST1IifQ==' }]) {
    const refused = await signUp(headers)
    assert.deepEqual([refused.status, refused.body.error.message], [401, 'Firebase App Check token is invalid.'])
  }
  const { token } = await checks.createToken(appId)
  assert.equal((await signUp({ 'x-firebase-appcheck': token })).status, 200)
})

test('what only Google can verify is not implemented', async () => {
  const path = `/content-firebaseappcheck.googleapis.com/v1/projects/${app.options.projectId}/apps/${appId}`
  for (const method of ['exchangeRecaptchaV3Token', 'exchangeRecaptchaEnterpriseToken', 'exchangePlayIntegrityToken', 'generateAppAttestChallenge']) {
    assert.equal((await call(`${path}:${method}?key=k`, {})).status, 501, method)
  }
})
