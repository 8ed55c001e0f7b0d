// Signs in at a provider of OpenID Connect with the site's SDK in Chromium: by popup, again, by redirect, linked to
// another account, and refused by the user. gapi.js replaces Google's library, as in popup.mjs. Arguments: the
// frontend's folder, the server's origin, and the provider's origin.
import assert from 'node:assert/strict'
import http from 'node:http'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [frontend, auth, issuer] = process.argv.slice(2)
const require = createRequire(path.join(frontend, 'package.json'))
const load = (name) => import(pathToFileURL(require.resolve(name)))
const { rolldown } = await load('rolldown')
const { chromium } = (await load('playwright-core')).default

const folder = mkdtempSync(path.join(tmpdir(), 'provider-'))
const source = path.join(folder, 'page.mjs')
writeFileSync(source, `
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
  const open = async () => {
    await page.goto(`${origin}/?auth=${encodeURIComponent(auth)}`)
    await page.waitForFunction('window.ready')
  }
  const ann = ['ann@example.com', true, ['oidc.acme']]
  await open()
  assert.deepEqual(await page.evaluate('popup()'), ann)
  assert.deepEqual(await page.evaluate('popup()'), ann)
  // The provider's user is Ann's already.
  assert.equal(await page.evaluate('link()'), 'auth/credential-already-in-use')
  assert.equal(await page.evaluate('unconfigured()'), 'auth/operation-not-allowed')

  await open()
  await page.evaluate('void redirect()').catch(() => {}) // the page navigates away
  await page.waitForURL(`${origin}/**`)
  await page.waitForFunction('window.ready')
  assert.deepEqual(await page.evaluate('result()'), ann)

  // The user refuses at the provider.
  await context.route(`${issuer}/authorize?**`, (route) => {
    const asked = new URL(route.request().url()).searchParams
    const back = new URLSearchParams({ state: asked.get('state'), error: 'access_denied' })
    return route.fulfill({ status: 302, headers: { location: `${asked.get('redirect_uri')}?${back}` } })
  })
  await open()
  assert.equal(await page.evaluate('popup()'), 'auth/user-cancelled')
} finally {
  await browser.close()
  site.close()
  rmSync(folder, { recursive: true })
}
