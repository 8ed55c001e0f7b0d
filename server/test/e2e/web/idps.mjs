// Signs in at two providers of OpenID Connect from npm with the site's SDK in Chromium: by popup and by redirect, with
// their pages. Arguments: the frontend's folder, the server's origin, and its folder with its certificate.
import assert from 'node:assert/strict'
import { signIn } from './signin.mjs'

const [frontend, auth, tls] = process.argv.slice(2)
const program = `
import { initializeApp } from 'firebase/app'
import {
  connectAuthEmulator, createUserWithEmailAndPassword, getAuth, getRedirectResult, linkWithPopup, OAuthProvider, reauthenticateWithPopup, signInWithPopup,
  signInWithRedirect, unlink,
} from 'firebase/auth'
const auth = getAuth(initializeApp({ apiKey: 'k', projectId: 'fundacion-e2e', authDomain: 'localhost' }))
connectAuthEmulator(auth, new URLSearchParams(location.search).get('auth'), { disableWarnings: true })
const provider = (id, parameters = {}) => new OAuthProvider(id).setCustomParameters(parameters)
const providers = (user) => user.providerData.map((p) => p.providerId).sort()
const told = (result) => [result.user.email, result.user.emailVerified, providers(result.user)]
// The SDK gives up a frame after five seconds, which a loaded machine may exceed. The popup opens after that.
const outcome = async (call) => {
  for (;;) {
    const result = await call().then((result) => result && told(result), (error) => error.code)
    if (result !== 'auth/network-request-failed') return result
  }
}
window.popup = () => outcome(() => signInWithPopup(auth, provider('oidc.real')))
window.again = (parameters) => outcome(() => reauthenticateWithPopup(auth.currentUser, provider('oidc.real', parameters)))
window.redirect = () => signInWithRedirect(auth, provider('oidc.real'))
window.result = () => outcome(() => getRedirectResult(auth))
window.link = () => outcome(() => linkWithPopup(auth.currentUser, provider('oidc.mock')))
window.unlinked = () => unlink(auth.currentUser, 'oidc.mock').then(providers)
window.create = (email) => createUserWithEmailAndPassword(auth, email, 'secreta1').then(() => true)
window.ready = true
`

await signIn(frontend, program, async ({ context, page, origin, open }) => {
  const ann = ['ann@example.com', true, ['oidc.real']]
  // during begins a call and returns its outcome, after act has acted in the popup.
  const during = async (call, act) => {
    const opened = context.waitForEvent('page')
    const outcome = page.evaluate(call)
    await act(await opened)
    return outcome
  }
  const as = (name) => async (popup) => {
    await popup.locator('[name=login]').fill(name)
    await popup.locator('[name=password]').fill('any')
    await popup.getByRole('button', { name: 'Sign-in' }).click()
    await popup.getByRole('button', { name: 'Continue' }).click()
  }
  await open(auth)
  assert.equal(await during('popup()', (popup) => popup.getByRole('link', { name: 'Cancel' }).click()), 'auth/user-cancelled')
  assert.deepEqual(await during('popup()', as('ann')), ann)
  assert.deepEqual(await page.evaluate('again()'), ann) // The provider knows the browser.
  assert.equal(await during("again({ prompt: 'login' })", as('bea')), 'auth/user-mismatch')
  assert.deepEqual(await during("again({ prompt: 'login' })", as('ann')), ann)

  assert.deepEqual(await page.evaluate('link()'), ['ann@example.com', true, ['oidc.mock', 'oidc.real']])
  await page.evaluate("create('dan@example.com')")
  assert.equal(await page.evaluate('link()'), 'auth/credential-already-in-use')
  assert.deepEqual(await page.evaluate('popup()'), ['ann@example.com', true, ['oidc.mock', 'oidc.real']])
  assert.deepEqual(await page.evaluate('unlinked()'), ['oidc.real'])

  await page.evaluate('window.left = true; void redirect()').catch(() => {}) // the page navigates away
  await page.waitForFunction((origin) => location.origin === origin && window.ready && !window.left, origin)
  assert.deepEqual(await page.evaluate('result()'), ann)
}, { tls })
