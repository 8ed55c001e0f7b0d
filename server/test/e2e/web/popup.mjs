// Signs in by popup and by redirect with the site's SDK in Chromium. Arguments: the frontend's folder, Auth's origin.
import assert from 'node:assert/strict'
import { signIn } from './signin.mjs'

const [frontend, auth] = process.argv.slice(2)
const program = `
import { initializeApp } from 'firebase/app'
import { connectAuthEmulator, getAuth, getRedirectResult, GoogleAuthProvider, signInWithPopup, signInWithRedirect } from 'firebase/auth'
const auth = getAuth(initializeApp({ apiKey: 'k', projectId: 'demo-e2e', authDomain: 'localhost' }))
connectAuthEmulator(auth, new URLSearchParams(location.search).get('auth'), { disableWarnings: true })
window.popup = () => signInWithPopup(auth, new GoogleAuthProvider()).then(({ user }) => user.email)
window.profile = () => [auth.currentUser.displayName, auth.currentUser.photoURL]
window.redirect = () => signInWithRedirect(auth, new GoogleAuthProvider())
window.result = () => getRedirectResult(auth).then((r) => r && r.user.email)
window.ready = true
`

await signIn(frontend, program, async ({ context, page, origin, open }) => {
  await open(auth)
  let opened = context.waitForEvent('page')
  let signedIn = page.evaluate('popup()')
  let widget = await opened
  // Drives the page in the same way as other projects' tests for the official emulator.
  assert.match(await widget.title(), /Auth Emulator/)
  await widget.locator('.js-new-account').click()
  await widget.locator('#email-input').fill('ana@example.org')
  await widget.locator('#display-name-input').fill('Ana <b>')
  await widget.locator('#screen-name-input').fill('ana')
  await widget.locator('#profile-photo-input').fill('http://localhost/ana.png')
  await widget.getByRole('button', { name: 'Sign in with Google.com' }).and(widget.locator('#sign-in')).click()
  assert.equal(await signedIn, 'ana@example.org')
  assert.deepEqual(await page.evaluate('profile()'), ['Ana <b>', 'http://localhost/ana.png'])

  opened = context.waitForEvent('page')
  signedIn = page.evaluate('popup()')
  widget = await opened
  await widget.locator('#accounts-list li').getByText('ana@example.org', { exact: true }).click()
  assert.equal(await signedIn, 'ana@example.org')

  // For a redirect the page and Auth must be on one site, because browsers partition the storage of frames by site.
  await open(auth.replace('127.0.0.1', 'localhost'))
  await page.evaluate('void redirect()').catch(() => {}) // the page navigates away
  await page.waitForURL('**/emulator/auth/handler**')
  await page.locator('#accounts-list li').getByText('ana@example.org', { exact: true }).click()
  await page.waitForURL(`${origin}/**`)
  await page.waitForFunction(() => window.ready)
  assert.equal(await page.evaluate('result()'), 'ana@example.org')
})
