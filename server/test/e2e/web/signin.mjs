// The page of the browser tests of sign-ins: a program with the site's SDK, bundled and served, in Chromium. gapi.js
// replaces Google's library, which connects the SDK with its frame and is loaded from the internet.
import http from 'node:http'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

// signIn opens a page, passes it to drive with its context, its origin and a function that loads the page for Auth at an
// origin, and closes everything. program is the page's module, which sets window.ready at its end.
export async function signIn(frontend, program, drive) {
  const require = createRequire(path.join(frontend, 'package.json'))
  const load = (name) => import(pathToFileURL(require.resolve(name)))
  const { rolldown } = await load('rolldown')
  const { chromium } = (await load('playwright-core')).default
  const folder = mkdtempSync(path.join(tmpdir(), 'signin-'))
  const input = path.join(folder, 'page.mjs')
  writeFileSync(input, program)
  const bundle = await rolldown({ input, resolve: { modules: ['node_modules', path.join(frontend, 'node_modules')] }, platform: 'browser', logLevel: 'silent' })
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
    const open = async (auth) => {
      await page.goto(`${origin}/?auth=${encodeURIComponent(auth)}`)
      await page.waitForFunction('window.ready')
    }
    await drive({ context, page, origin, open })
  } finally {
    await browser.close()
    site.close()
    rmSync(folder, { recursive: true })
  }
}
