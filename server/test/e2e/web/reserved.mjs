// Opens a page that begins like pages on Firebase Hosting, with the SDK's scripts and /__/firebase/init.js, and reads,
// writes and signs in with that configuration. The scripts come from the site's SDK. Arguments: the frontend's folder,
// the page's address.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [frontend, address] = process.argv.slice(2)
const require = createRequire(path.join(frontend, 'package.json'))
const { chromium } = (await import(pathToFileURL(require.resolve('playwright-core')))).default

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  await context.route(/\/__\/firebase\/[0-9.]+\//, (route) =>
    route.fulfill({ contentType: 'text/javascript', path: path.join(frontend, 'node_modules', 'firebase', path.basename(new URL(route.request().url()).pathname)) }))
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const said = []
  page.on('console', (message) => said.push(message.text()))
  page.on('pageerror', (error) => said.push(String(error)))
  await page.goto(address)
  const [uid, token, read] = await page.evaluate(async () => {
    const { user } = await firebase.auth().createUserWithEmailAndPassword(`a${Date.now()}@example.org`, 'secret1')
    const notes = firebase.firestore().collection('notes').doc(user.uid)
    await notes.set({ text: 'hé' })
    const live = await new Promise((resolve, reject) => notes.onSnapshot((s) => s.metadata.hasPendingWrites || resolve(s), reject))
    return [user.uid, await user.getIdToken(), live.data()]
  }).catch((error) => assert.fail(`${error}; the page said ${said.join('\n')}`))
  assert.deepEqual(read, { text: 'hé' })
  assert.equal(JSON.parse(atob(token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/'))).sub, uid)
} finally {
  await browser.close()
}
