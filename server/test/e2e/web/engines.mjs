// Windows of Chromium, Firefox and WebKit that accept any certificate and refuse storage to frames of other sites.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { freePorts } from '../../kit/node/ports.mjs'
import { finish, waitFor } from '../../kit/node/programs.mjs'

const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium'
const FIREFOX = process.env.FIREFOX || '/usr/bin/firefox-esr'
const DRIVER = process.env.WEBKIT_DRIVER || '/usr/bin/WebKitWebDriver'
const DISPLAY = process.env.XVFB || '/usr/bin/Xvfb'

// limit is the maximum time of a script in a page, in milliseconds.
const limit = 120_000

// A window is {open, run, close}: open goes to an address, run returns the value of an expression of the page, which may
// be a promise, and close ends the browser.

// puppet opens a window of Chromium or Firefox.
async function puppet(frontend, options) {
  const require = createRequire(path.join(frontend, 'package.json'))
  const puppeteer = (await import(pathToFileURL(require.resolve('puppeteer-core')))).default
  const browser = await puppeteer.launch({ acceptInsecureCerts: true, protocolTimeout: limit, timeout: limit, ...options })
  const page = await browser.newPage()
  page.setDefaultTimeout(limit)
  return { open: (url) => page.goto(url), run: (expression) => page.evaluate(expression), close: () => browser.close() }
}

async function chromium(frontend, folder) {
  mkdirSync(path.join(folder, 'Default'))
  const profile = { block_third_party_cookies: true, cookie_controls_mode: 1 }
  writeFileSync(path.join(folder, 'Default', 'Preferences'), JSON.stringify({ profile }))
  return puppet(frontend, { browser: 'chrome', executablePath: CHROMIUM, userDataDir: folder, args: ['--no-sandbox', '--disable-popup-blocking'] })
}

function firefox(frontend) {
  const extraPrefsFirefox = { 'network.cookie.cookieBehavior': 1, 'dom.disable_open_during_load': false }
  return puppet(frontend, { browser: 'firefox', executablePath: FIREFOX, extraPrefsFirefox })
}

// webkit opens a window of WebKitGTK's small browser, which WebDriver drives, on a display without a screen.
async function webkit() {
  const display = spawn(DISPLAY, ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  const programs = [display]
  try {
    const number = await new Promise((ready, fail) => {
      display.stdio[3].once('data', (text) => ready(text.toString().trim()))
      for (const end of ['error', 'exit']) display.once(end, (reason) => fail(new Error(`${DISPLAY}: ${reason}`)))
    })
    const [port] = await freePorts(1)
    const driver = spawn(DRIVER, [`--port=${port}`], { env: { ...process.env, DISPLAY: `:${number}` }, stdio: 'ignore' })
    programs.unshift(driver)
    const base = `http://127.0.0.1:${port}`
    await waitFor(`${base}/status`, driver, 60)
    const command = async (method, place, body) => {
      const response = await fetch(base + place, { method, body: body && JSON.stringify(body) })
      const { value } = await response.json()
      if (!response.ok) throw new Error(`${method} ${place}: ${JSON.stringify(value)}`)
      return value
    }
    const args = ['--automation', '--javascript-can-open-windows-automatically=true', '--cookies-policy=no-third-party', '--enable-itp=true']
    const capabilities = { alwaysMatch: { acceptInsecureCerts: true, timeouts: { script: limit, pageLoad: limit }, 'webkitgtk:browserOptions': { args } } }
    const session = `/session/${(await command('POST', '/session', { capabilities })).sessionId}`
    return {
      open: (url) => command('POST', `${session}/url`, { url }),
      run: (expression) => command('POST', `${session}/execute/sync`, { script: `return ${expression}`, args: [] }),
      close: async () => {
        await command('DELETE', session)
        await finish(programs)
      },
    }
  } catch (failure) {
    await finish(programs)
    throw failure
  }
}

const engines = { chromium, firefox, webkit }

// inEngine passes drive a window of an engine, and closes it.
export async function inEngine(name, frontend, drive) {
  const folder = mkdtempSync(path.join(tmpdir(), 'engine-'))
  let opened
  try {
    opened = await engines[name](frontend, folder)
    await drive(opened)
  } finally {
    await opened?.close().catch(() => {})
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
