// Signs in at a provider of OpenID Connect with the site's SDK in Chromium: by popup, again, in two tabs, by redirect,
// linked, unlinked, reauthenticated, as another user, and refused by the user. Arguments: the frontend's folder, the
// server's origin, the provider's origin, and the folder with the server's certificate.
import assert from 'node:assert/strict'
import { signIn } from './signin.mjs'

const [frontend, auth, issuer, tls] = process.argv.slice(2)
const program = `
import { initializeApp } from 'firebase/app'
import {
  connectAuthEmulator, createUserWithEmailAndPassword, getAuth, getRedirectResult, linkWithPopup, linkWithRedirect, OAuthProvider, reauthenticateWithPopup,
  signInWithPopup, signInWithRedirect, unlink,
} from 'firebase/auth'
const auth = getAuth(initializeApp({ apiKey: 'k', projectId: 'fundacion-e2e', authDomain: 'localhost' }))
connectAuthEmulator(auth, new URLSearchParams(location.search).get('auth'), { disableWarnings: true })
const acme = () => new OAuthProvider('oidc.acme')
const told = (result) => [result.user.email, result.user.emailVerified, result.user.providerData.map((p) => p.providerId)]
const failed = (error) => error.code
window.popup = () => signInWithPopup(auth, acme()).then(told, failed)
window.redirect = () => signInWithRedirect(auth, acme())
window.result = () => getRedirectResult(auth).then((r) => r && told(r), failed)
window.link = async () => {
  await createUserWithEmailAndPassword(auth, 'bea@example.com', 'secreta1')
  return linkWithPopup(auth.currentUser, acme()).then(told, failed)
}
window.again = () => reauthenticateWithPopup(auth.currentUser, acme()).then(told, failed)
window.unlinked = () => unlink(auth.currentUser, 'oidc.acme').then((u) => u.providerData.map((p) => p.providerId), failed)
window.linkAgain = () => linkWithPopup(auth.currentUser, acme()).then(told, failed)
window.linkByRedirect = () => linkWithRedirect(auth.currentUser, acme())
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

  // The user refuses at the provider.
  await context.route(`${issuer}/authorize?**`, (route) => {
    const asked = new URL(route.request().url()).searchParams
    const back = new URLSearchParams({ state: asked.get('state'), error: 'access_denied' })
    return route.fulfill({ status: 302, headers: { location: `${asked.get('redirect_uri')}?${back}` } })
  })
  await open(auth)
  assert.equal(await page.evaluate('popup()'), 'auth/user-cancelled')
}, { tls })
