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

// A tab is {open, run, close}: open goes to an address, run returns the value of an expression of the page, which may be a
// promise, and close closes it. A window is a tab with {tab, popup, quit}: tab opens another tab, popup waits for a window
// that a page opened at an address with a text, which it returns as a tab, and quit ends the browser.

// found returns what find returns, when it is true. find may fail: pages close and leave meanwhile.
export async function found(what, find) {
  for (const end = Date.now() + limit; Date.now() < end; await new Promise((next) => setTimeout(next, 50))) {
    const value = await Promise.resolve().then(find).catch(() => undefined)
    if (value) return value
  }
  throw new Error(`never: ${what}`)
}

// puppet opens a window of Chromium or Firefox.
async function puppet(frontend, options) {
  const require = createRequire(path.join(frontend, 'package.json'))
  const puppeteer = (await import(pathToFileURL(require.resolve('puppeteer-core')))).default
  const browser = await puppeteer.launch({ acceptInsecureCerts: true, protocolTimeout: limit, timeout: limit, ...options })
  const as = (page) => {
    page.setDefaultTimeout(limit)
    return { open: (url) => page.goto(url), run: (expression) => page.evaluate(expression), close: () => page.close() }
  }
  const tab = async () => as(await browser.newPage())
  const popup = async (text) => as(await found(`a popup with ${text}`, () => browser.targets().find((target) => target.url().includes(text))?.page()))
  return { ...(await tab()), tab, popup, quit: () => browser.close() }
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
    let current
    let last = Promise.resolve()
    // at sends a command to a tab, after the earlier commands: a session has one current tab.
    const at = (handle, method, place, body) => {
      last = last
        .catch(() => {})
        .then(async () => {
          if (current !== handle) await command('POST', `${session}/window`, { handle })
          current = handle
          return command(method, session + place, body)
        })
      return last
    }
    const as = (handle) => ({
      open: (url) => at(handle, 'POST', '/url', { url }),
      run: (expression) => at(handle, 'POST', '/execute/sync', { script: `return ${expression}`, args: [] }),
      close: () => at(handle, 'DELETE', '/window'),
    })
    const handles = () => command('GET', `${session}/window/handles`)
    const popup = async (text) => {
      const shows = async (handle) => (await at(handle, 'GET', '/url').catch(() => '')).includes(text)
      const find = async () => {
        for (const handle of await handles()) if (await shows(handle)) return handle
      }
      return as(await found(`a popup with ${text}`, find))
    }
    const [first] = await handles()
    // The browser refuses popups to a tab that WebDriver opens, so the first tab opens it.
    const tab = async () => {
      const known = await handles()
      await as(first).run("void window.open('about:blank')")
      return as(await found('a tab', async () => (await handles()).find((handle) => !known.includes(handle))))
    }
    const quit = async () => {
      await command('DELETE', session)
      await finish(programs)
    }
    return { ...as(first), tab, popup, quit }
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
    await opened?.quit().catch(() => {})
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
