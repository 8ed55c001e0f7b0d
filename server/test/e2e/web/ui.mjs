// Signs in with firebaseui and the compat SDK's scripts, as pages without a bundler load them, in Chromium: by the button
// of a provider of OpenID Connect, by popup and by redirect, and without an account. Arguments: the frontend's folder, the folder
// of firebaseui, the server's origin, and its folder with its certificate.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { signIn } from './signin.mjs'

const [frontend, modules, auth, tls] = process.argv.slice(2)
const program = `
const query = new URLSearchParams(location.search)
const auth = firebase.initializeApp({ apiKey: 'k', projectId: 'fundacion-e2e', authDomain: 'localhost' }).auth()
auth.useEmulator(query.get('auth'), { disableWarnings: true })
const ui = new firebaseui.auth.AuthUI(auth)
window.begin = (signInFlow) => ui.start('#ui', {
  signInFlow,
  signInOptions: [{ provider: 'oidc.acme', providerName: 'Acme' }, firebaseui.auth.AnonymousAuthProvider.PROVIDER_ID],
  callbacks: { signInSuccessWithAuthResult: ({ user }) => {
    window.told = [user.email, user.isAnonymous, user.providerData.map((p) => p.providerId)]
    return false
  } },
})
if (ui.isPendingRedirect()) begin('redirect')
window.leave = () => auth.signOut()
window.ready = true
`
const scripts = {
  '/app.js': path.join(frontend, 'node_modules/firebase/firebase-app-compat.js'),
  '/auth.js': path.join(frontend, 'node_modules/firebase/firebase-auth-compat.js'),
  '/ui.js': path.join(modules, 'node_modules/firebaseui/dist/firebaseui.js'),
}
const tags = Object.keys(scripts).map((src) => `<script src="${src}"></script>`)
const options = {
  tls,
  head: () => `<div id="ui"></div>${tags.join('')}`,
  more: Object.fromEntries(Object.entries(scripts).map(([name, file]) => [name, readFileSync(file, 'utf8')])),
}

await signIn(frontend, program, async ({ page, open }) => {
  const told = async () => (await page.waitForFunction(() => window.told)).jsonValue()
  const ann = ['ann@example.com', false, ['oidc.acme']]
  const button = page.getByRole('button', { name: 'Sign in with Acme' })

  await open(auth)
  await page.evaluate("begin('popup')")
  await button.click()
  assert.deepEqual(await told(), ann)
  await page.evaluate('leave()')

  await open(auth)
  await page.evaluate("begin('redirect')")
  await button.click()
  assert.deepEqual(await told(), ann)
  await page.evaluate('leave()')

  await open(auth)
  await page.evaluate("begin('popup')")
  await page.getByRole('button', { name: /^Continue as / }).click()
  assert.deepEqual(await told(), [null, true, []])
}, options)
