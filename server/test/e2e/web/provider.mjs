// Signs in at a provider of OpenID Connect, which is one of OAuth 2 too, with the site's SDK in Chromium: by popup,
// again, in two tabs, by redirect, linked, unlinked, reauthenticated, as another user, by an access token, and refused
// by the user. Arguments: the frontend's folder, the server's origin, the provider's origin, and the folder with the
// server's certificate.
import assert from 'node:assert/strict'
import { signIn } from './signin.mjs'

const [frontend, auth, issuer, tls] = process.argv.slice(2)
const program = `
import { initializeApp } from 'firebase/app'
import {
  connectAuthEmulator, createUserWithEmailAndPassword, getAuth, getRedirectResult, linkWithPopup, linkWithRedirect, OAuthProvider, reauthenticateWithPopup,
  signInWithCredential, signInWithPopup, signInWithRedirect, unlink,
} from 'firebase/auth'
const auth = getAuth(initializeApp({ apiKey: 'k', projectId: 'fundacion-e2e', authDomain: 'localhost' }))
connectAuthEmulator(auth, new URLSearchParams(location.search).get('auth'), { disableWarnings: true })
const acme = (id = 'oidc.acme') => new OAuthProvider(id)
const told = (result) => [result.user.email, result.user.emailVerified, result.user.providerData.map((p) => p.providerId)]
const failed = (error) => error.code
window.popup = (id) => signInWithPopup(auth, acme(id)).then((result) => {
  window.access = OAuthProvider.credentialFromResult(result).accessToken
  return told(result)
}, failed)
window.byToken = (id, accessToken = window.access) => signInWithCredential(auth, acme(id).credential({ accessToken })).then(told, failed)
window.redirect = (id) => signInWithRedirect(auth, acme(id))
window.result = () => getRedirectResult(auth).then((r) => r && told(r), failed)
window.link = async () => {
  await createUserWithEmailAndPassword(auth, 'bea@example.com', 'secreta1')
  return linkWithPopup(auth.currentUser, acme()).then(told, failed)
}
window.again = (id) => reauthenticateWithPopup(auth.currentUser, acme(id)).then(told, failed)
window.unlinked = (id = 'oidc.acme') => unlink(auth.currentUser, id).then((u) => u.providerData.map((p) => p.providerId), failed)
window.linkAgain = (id) => linkWithPopup(auth.currentUser, acme(id)).then(told, failed)
window.linkByRedirect = (id) => linkWithRedirect(auth.currentUser, acme(id))
window.unconfigured = () => signInWithPopup(auth, new OAuthProvider('oidc.absent')).then(told, failed)
window.ready = true
`

await signIn(frontend, program, async ({ context, page, origin, open }) => {
  const ann = ['ann@example.com', true, ['oidc.acme']]
  await open(auth)
  assert.deepEqual(await page.evaluate('popup()'), ann)
  assert.deepEqual(await page.evaluate('popup()'), ann)
  assert.deepEqual(await page.evaluate('again()'), ann)
  assert.deepEqual(await page.evaluate('unlinked()'), [])
  assert.deepEqual(await page.evaluate('linkAgain()'), ann)
  assert.equal(await page.evaluate('linkAgain()'), 'auth/credential-already-in-use')

  // Two tabs sign in at a time, each with its own popup.
  const tab = await context.newPage()
  await tab.goto(page.url())
  await tab.waitForFunction(() => window.ready)
  assert.deepEqual(await Promise.all([page.evaluate('popup()'), tab.evaluate('popup()')]), [ann, ann])
  await tab.close()

  // The provider's user is Ann's already.
  assert.equal(await page.evaluate('link()'), 'auth/credential-already-in-use')
  assert.equal(await page.evaluate('again()'), 'auth/user-mismatch')
  assert.equal(await page.evaluate('unconfigured()'), 'auth/operation-not-allowed')

  const back = async (call) => {
    await page.evaluate(`window.left = true; void ${call}`).catch(() => {}) // the page navigates away
    // The page that comes back is at the same address as the one that left, which may still be there.
    await page.waitForFunction((origin) => location.origin === origin && window.ready && !window.left, origin)
    return page.evaluate('result()')
  }
  await open(auth)
  assert.deepEqual(await back('redirect()'), ann)
  assert.deepEqual(await page.evaluate('unlinked()'), [])
  assert.deepEqual(await back('linkByRedirect()'), ann)

  // As a provider of OAuth 2 without ID tokens. It proves Ann's address, so it is linked to her account.
  const both = ['ann@example.com', true, ['oidc.acme', 'oauth.acme']]
  await open(auth)
  assert.deepEqual(await page.evaluate("popup('oauth.acme')"), both)
  assert.deepEqual(await page.evaluate("again('oauth.acme')"), both)
  assert.deepEqual(await page.evaluate("byToken('oauth.acme')"), both)
  assert.equal(await page.evaluate("byToken('oauth.acme', 'of-another-app')"), 'auth/invalid-credential')
  assert.deepEqual(await page.evaluate("unlinked('oauth.acme')"), ['oidc.acme'])
  assert.deepEqual(await page.evaluate("linkAgain('oauth.acme')"), both)
  assert.deepEqual(await back("redirect('oauth.acme')"), both)
  assert.deepEqual(await page.evaluate("unlinked('oauth.acme')"), ['oidc.acme'])
  assert.deepEqual(await back("linkByRedirect('oauth.acme')"), both)

  // The user refuses at the provider.
  await context.route(`${issuer}/authorize?**`, (route) => {
    const asked = new URL(route.request().url()).searchParams
    const back = new URLSearchParams({ state: asked.get('state'), error: 'access_denied' })
    return route.fulfill({ status: 302, headers: { location: `${asked.get('redirect_uri')}?${back}` } })
  })
  await open(auth)
  assert.equal(await page.evaluate('popup()'), 'auth/user-cancelled')
}, { tls })
