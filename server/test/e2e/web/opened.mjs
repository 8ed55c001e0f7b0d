// The page of the browser tests: page.mjs or another program, bundled with the site's SDK or that of the folder SDK_MODULES, in Chromium.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = path.dirname(fileURLToPath(import.meta.url))

// site serves the bundled page.
async function site(frontend, rolldown, program) {
  const build = await rolldown({ input: program, resolve: { modules: [process.env.SDK_MODULES ?? path.join(frontend, 'node_modules'), 'node_modules'] }, platform: 'browser' })
  const { output } = await build.generate({ format: 'esm' })
  assert.equal(output.length, 1, 'the page is one bundle')
  const server = http.createServer((req, res) => {
    const script = req.url === '/page.js'
    res.writeHead(200, { 'content-type': script ? 'text/javascript' : 'text/html' })
    res.end(script ? output[0].code : '<!doctype html><title>test</title><script type="module" src="/page.js"></script>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://localhost:${server.address().port}/`, close: () => (server.close(), server.closeAllConnections()) }
}

// limit rejects if a promise takes longer than a limit.
function limit(promise, what, ms = 180_000) {
  let timer
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`${what}: nothing for ${ms} ms`)), ms)))
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

// opened starts the browser. visit opens the page, and run runs one of its programs.
export async function opened(frontend, program = path.join(here, 'page.mjs')) {
  const require = createRequire(path.join(frontend, 'package.json'))
  const load = (name) => import(pathToFileURL(require.resolve(name)))
  const { rolldown } = await load('rolldown')
  const { chromium } = (await load('playwright-core')).default
  const pages = await site(frontend, rolldown, program)
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
  const context = await browser.newContext()
  const visit = async () => {
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    page.on('pageerror', (e) => console.error('page:', e.message))
    if (process.env.VERBOSE) {
      page.on('console', (m) => console.error('console:', m.text()))
      page.on('request', (r) => console.error('>', r.method(), r.url().slice(0, 200), (r.postData() ?? '').slice(0, 300)))
      page.on('response', (r) => console.error('<', r.status(), r.url().slice(0, 120)))
      page.on('requestfailed', (r) => console.error('failed:', r.method(), r.url(), r.failure()?.errorText))
    }
    await page.goto(pages.url)
    await page.waitForFunction(() => window.programs)
    return page
  }
  const run = (page, name, config) => limit(page.evaluate(([n, c]) => window.programs[n](c), [name, config]), name, Number(process.env.LIMIT ?? 60_000))
  const close = async () => {
    await browser.close()
    pages.close()
  }
  return { context, visit, run, limit, close }
}
