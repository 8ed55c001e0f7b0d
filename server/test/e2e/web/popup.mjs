// Signs in by popup and by redirect with the site's SDK in Chromium. gapi.js replaces Google's library, which connects
// the SDK with its frame and is loaded from the internet. Arguments: the frontend's folder, Auth's origin.
import assert from 'node:assert/strict'
import http from 'node:http'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [frontend, auth] = process.argv.slice(2)
const require = createRequire(path.join(frontend, 'package.json'))
const load = (name) => import(pathToFileURL(require.resolve(name)))
const { rolldown } = await load('rolldown')
const { chromium } = (await load('playwright-core')).default

const folder = mkdtempSync(path.join(tmpdir(), 'popup-'))
const source = path.join(folder, 'page.mjs')
writeFileSync(source, `
import { initializeApp } from 'firebase/app'
import { connectAuthEmulator, getAuth, getRedirectResult, GoogleAuthProvider, signInWithPopup, signInWithRedirect } from 'firebase/auth'
const auth = getAuth(initializeApp({ apiKey: 'k', projectId: 'demo-e2e', authDomain: 'localhost' }))
connectAuthEmulator(auth, new URLSearchParams(location.search).get('auth'), { disableWarnings: true })
window.popup = () => signInWithPopup(auth, new GoogleAuthProvider()).then(({ user }) => user.email)
window.profile = () => [auth.currentUser.displayName, auth.currentUser.photoURL]
window.redirect = () => signInWithRedirect(auth, new GoogleAuthProvider())
window.result = () => getRedirectResult(auth).then((r) => r && r.user.email)
window.ready = true
`)
const bundle = await rolldown({ input: source, resolve: { modules: ['node_modules', path.join(frontend, 'node_modules')] }, platform: 'browser', logLevel: 'silent' })
const { output } = await bundle.generate({ format: 'esm' })
const site = http.createServer((request, response) => {
  const script = request.url === '/page.js'
  response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html')
  response.end(script ? output[0].code : '<!doctype html><title>page</title><body><script type="module" src="/page.js"></script>')
}).listen(0, '127.0.0.1')
await once(site, 'listening')
const origin = `http://localhost:${site.address().port}`

const gapi = readFileSync(new URL('./gapi.js', import.meta.url), 'utf8')
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const context = await browser.newContext()
  await context.route('https://apis.google.com/**', (route) => route.fulfill({ contentType: 'text/javascript', body: gapi }))
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(`${origin}/?auth=${encodeURIComponent(auth)}`)
  await page.waitForFunction('window.ready')
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
  await page.goto(`${origin}/?auth=${encodeURIComponent(auth.replace('127.0.0.1', 'localhost'))}`)
  await page.waitForFunction('window.ready')
  await page.evaluate('void redirect()').catch(() => {}) // the page navigates away
  await page.waitForURL('**/emulator/auth/handler**')
  await page.locator('#accounts-list li').getByText('ana@example.org', { exact: true }).click()
  await page.waitForURL(`${origin}/**`)
  await page.waitForFunction('window.ready')
  assert.equal(await page.evaluate('result()'), 'ana@example.org')
} finally {
  await browser.close()
  site.close()
  rmSync(folder, { recursive: true })
}
