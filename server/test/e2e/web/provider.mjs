// Signs in at a provider of OpenID Connect with the site's SDK in Chromium: by popup, again, by redirect, linked to
// another account, and refused by the user. Arguments: the frontend's folder, the server's origin, and the provider's
// origin.
import assert from 'node:assert/strict'
import { signIn } from './signin.mjs'

const [frontend, auth, issuer] = process.argv.slice(2)
const program = `
import { initializeApp } from 'firebase/app'
import { connectAuthEmulator, createUserWithEmailAndPassword, getAuth, getRedirectResult, linkWithPopup, OAuthProvider, signInWithPopup, signInWithRedirect } from 'firebase/auth'
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
window.unconfigured = () => signInWithPopup(auth, new OAuthProvider('oidc.other')).then(told, failed)
window.ready = true
`

await signIn(frontend, program, async ({ context, page, origin, open }) => {
  const ann = ['ann@example.com', true, ['oidc.acme']]
  await open(auth)
  assert.deepEqual(await page.evaluate('popup()'), ann)
  assert.deepEqual(await page.evaluate('popup()'), ann)
  // The provider's user is Ann's already.
  assert.equal(await page.evaluate('link()'), 'auth/credential-already-in-use')
  assert.equal(await page.evaluate('unconfigured()'), 'auth/operation-not-allowed')

  await open(auth)
  await page.evaluate('window.left = true; void redirect()').catch(() => {}) // the page navigates away
  // The page that comes back is at the same address as the one that left, which may still be there.
  await page.waitForFunction((origin) => location.origin === origin && window.ready && !window.left, origin)
  assert.deepEqual(await page.evaluate('result()'), ann)

  // The user refuses at the provider.
  await context.route(`${issuer}/authorize?**`, (route) => {
    const asked = new URL(route.request().url()).searchParams
    const back = new URLSearchParams({ state: asked.get('state'), error: 'access_denied' })
    return route.fulfill({ status: 302, headers: { location: `${asked.get('redirect_uri')}?${back}` } })
  })
  await open(auth)
  assert.equal(await page.evaluate('popup()'), 'auth/user-cancelled')
})
