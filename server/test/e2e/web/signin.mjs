// The pages of the browser tests of sign-ins: a program with the site's SDK, bundled and served. In Chromium gapi.js
// replaces Google's library, which connects the SDK with its frame and is loaded from the internet.
import http from 'node:http'
import https from 'node:https'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

// loader returns a function that imports packages of the site.
function loader(frontend) {
  const require = createRequire(path.join(frontend, 'package.json'))
  return (name) => import(pathToFileURL(require.resolve(name)))
}

// bundle returns a program with its packages as a script.
async function bundle(frontend, program) {
  const { rolldown } = await loader(frontend)('rolldown')
  const folder = mkdtempSync(path.join(tmpdir(), 'signin-'))
  try {
    const input = path.join(folder, 'page.mjs')
    writeFileSync(input, program)
    const bundled = await rolldown({ input, resolve: { modules: ['node_modules', path.join(frontend, 'node_modules')] }, platform: 'browser', logLevel: 'silent' })
    return (await bundled.generate({ format: 'esm' })).output[0].code
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// pageOf returns a page with a program, and with what is in front of it.
export const pageOf = (head = '') => `<!doctype html><title>page</title>${head}<body><script type="module" src="/page.js"></script>`

// servePage serves a page whose module is program, which sets window.ready at its end, on a port of this machine, with the
// certificate in the folder tls if there is one. It returns the port, the script and a function that ends it. head returns what is in
// front of the module in the page at an address, and more other files by path.
export async function servePage(frontend, program, { tls, head = () => undefined, more = {} } = {}) {
  const script = await bundle(frontend, program)
  const files = { ...more, '/page.js': script }
  const answer = (request, response) => {
    const url = new URL(request.url, 'http://localhost')
    const file = files[url.pathname]
    response.setHeader('Content-Type', url.pathname.endsWith('.js') ? 'text/javascript' : 'text/html')
    response.end(file ?? pageOf(head(url)))
  }
  const read = (name) => readFileSync(path.join(tls, name))
  const site = tls ? https.createServer({ cert: read('cert.pem'), key: read('key.pem') }, answer) : http.createServer(answer)
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  return { port: site.address().port, script, close: () => site.close() }
}

// signIn opens a page in Chromium, passes it to drive with its context, its origin, a function that loads the page for
// Auth at an origin and one that replaces Google's library in a further context, and closes everything. The options are those of servePage.
export async function signIn(frontend, program, drive, options = {}) {
  const { chromium } = (await loader(frontend)('playwright-core')).default
  const site = await servePage(frontend, program, options)
  const origin = `${options.tls ? 'https' : 'http'}://localhost:${site.port}`
  const gapi = readFileSync(new URL('./gapi.js', import.meta.url), 'utf8')
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] })
  try {
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const replace = (context) => context.route('https://apis.google.com/**', (route) => route.fulfill({ contentType: 'text/javascript', body: gapi }))
    await replace(context)
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    const open = async (auth) => {
      await page.goto(`${origin}/?auth=${encodeURIComponent(auth)}`)
      await page.waitForFunction(() => window.ready)
    }
    await drive({ context, page, origin, open, gapi: replace })
  } finally {
    await browser.close()
    site.close()
  }
}
