// App Check with the site's SDK in Chromium: a custom provider and a debug token, against a server that enforces App
// Check. Arguments: the frontend's folder, the server's origin, a debug token of the app.
import assert from 'node:assert/strict'
import { signIn } from './signin.mjs'

const [frontend, server, debugToken] = process.argv.slice(2)
const appId = '1:123456789:web:abcdef'
const program = `
import { deleteApp, initializeApp } from 'firebase/app'
import { CustomProvider, getLimitedUseToken, initializeAppCheck } from 'firebase/app-check'
import { connectAuthEmulator, getAuth, signInAnonymously } from 'firebase/auth'
import * as full from 'firebase/firestore'
import * as lite from 'firebase/firestore/lite'
const server = new URL(new URLSearchParams(location.search).get('auth'))
const code = (promise) => promise.then(() => 'ok', (error) => error.code)

// Exchanges the debug token itself, as an app without Google's addresses does.
const exchanging = new CustomProvider({ getToken: async () => {
  const answer = await fetch(server.origin + '/firebaseappcheck.googleapis.com/v1/projects/fundacion-e2e/apps/${appId}:exchangeDebugToken?key=k', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ debug_token: '${debugToken}' }),
  })
  const { token, ttl } = await answer.json()
  return { token, expireTimeMillis: Date.now() + parseInt(ttl) * 1000 }
} })
const failing = new CustomProvider({ getToken: async () => { throw new Error('no') } })
const providers = { exchanging, failing }

window.use = async (kind) => {
  // The SDK stores tokens by the app's name.
  const app = initializeApp({ apiKey: 'k', projectId: 'fundacion-e2e', appId: '${appId}' }, crypto.randomUUID())
  let check
  self.FIREBASE_APPCHECK_DEBUG_TOKEN = kind === 'debug' ? '${debugToken}' : kind === 'wrong' ? crypto.randomUUID() : false
  if (kind !== 'none') check = initializeAppCheck(app, { provider: providers[kind] ?? failing, isTokenAutoRefreshEnabled: false })
  const auth = getAuth(app)
  connectAuthEmulator(auth, server.origin, { disableWarnings: true })
  const db = full.getFirestore(app), small = lite.getFirestore(app)
  full.connectFirestoreEmulator(db, server.hostname, Number(server.port))
  lite.connectFirestoreEmulator(small, server.hostname, Number(server.port))
  const done = { auth: await code(signInAnonymously(auth)) }
  const path = 'mine/' + (auth.currentUser?.uid ?? 'nobody')
  done.write = await code(full.setDoc(full.doc(db, path), { n: 1 }))
  done.listen = await code(new Promise((resolve, fail) => full.onSnapshot(full.doc(db, path), { includeMetadataChanges: true }, (s) => s.metadata.fromCache || resolve(), fail)))
  done.rest = await code(lite.getDoc(lite.doc(small, path)))
  if (check) done.limited = await code(getLimitedUseToken(check))
  await deleteApp(app)
  return done
}
window.ready = true
`

await signIn(frontend, program, async ({ context, page, open }) => {
  // The SDK's debug provider has no setting for the server's address.
  await context.route('https://content-firebaseappcheck.googleapis.com/**', async (route) => {
    const answer = await fetch(route.request().url().replace('https:/', server), {
      method: route.request().method(), headers: { 'content-type': 'application/json', origin: 'http://localhost' }, body: route.request().postData(),
    })
    await route.fulfill({ status: answer.status, body: await answer.text(), headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' } })
  })
  const use = async (kind) => {
    await open(server) // The SDK looks once for a debug token.
    return page.evaluate(`use("${kind}")`)
  }
  const allowed = { auth: 'ok', write: 'ok', listen: 'ok', rest: 'ok', limited: 'ok' }
  assert.deepEqual(await use('exchanging'), allowed)
  assert.deepEqual(await use('debug'), allowed)
  const refused = { auth: 'auth/firebase-app-check-token-is-invalid.', write: 'permission-denied', listen: 'permission-denied', rest: 'permission-denied' }
  assert.deepEqual(await use('none'), refused)
  for (const kind of ['failing', 'wrong']) {
    const { limited, ...others } = await use(kind)
    assert.deepEqual(others, refused, kind)
    assert.notEqual(limited, 'ok', kind)
  }
})
