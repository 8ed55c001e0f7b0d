import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { expect } from '@playwright/test'
import { freePorts } from '../../../server/test/kit/node/ports.mjs'
import { finish, waitFor } from '../../../server/test/kit/node/programs.mjs'
import type { Engine, Key, Tab } from './tab'

const DRIVER = process.env['WEBKIT_DRIVER'] ?? '/usr/bin/WebKitWebDriver'
const DISPLAY = process.env['XVFB'] ?? '/usr/bin/Xvfb'

/** The keys as WebDriver writes them. */
const KEYS: Record<Key | 'Control', string> = {
  a: 'a',
  Backspace: '\uE003',
  Tab: '\uE004',
  Enter: '\uE007',
  Control: '\uE009',
  Escape: '\uE00C',
  ArrowRight: '\uE014',
}

type Command = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<unknown>

/** Sends commands of WebDriver (W3C) below an address. Rejects with what the driver refuses. */
const commands =
  (base: string): Command =>
  async (method, path, body) => {
    const response = await fetch(base + path, { method, ...(body ? { body: JSON.stringify(body) } : {}) })
    const { value }: { value?: unknown } = Object(await response.json())
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`)
    return value
  }

/** The number of a new display without a screen, which the program writes when it is ready. */
function numberOf(display: ChildProcess): Promise<string> {
  return new Promise((ready, fail) => {
    const output = display.stdio[3] as Readable
    output.once('data', (said: Buffer) => ready(said.toString().trim()))
    display.once('exit', (code) => fail(new Error(`${DISPLAY} ended with ${code}`)))
  })
}

/** Opens a window without a bar of tools, which alone can be as narrow as a phone. Resolves to the commands of its session. */
async function openWindow(base: string): Promise<Command> {
  const args = ['--automation', '--javascript-can-open-windows-automatically=true']
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { args } } }
  const { sessionId } = Object(await commands(base)('POST', '/session', { capabilities }))
  const command = commands(`${base}/session/${sessionId}`)
  const first = await command('GET', '/window')
  await command('POST', '/execute/sync', { script: "window.open('about:blank', '', 'popup,width=360,height=740')", args: [] })
  const handles = await command('GET', '/window/handles')
  const handle = Array.isArray(handles) ? handles.find((one) => one !== first) : undefined
  await command('POST', '/window', { handle })
  return command
}

const pointer = (x: number, y: number) => ({
  type: 'pointer',
  id: 'mouse',
  actions: [
    { type: 'pointerMove', x, y, duration: 0 },
    { type: 'pointerDown', button: 0 },
    { type: 'pointerUp', button: 0 },
  ],
})

const strokes = (keys: string[]) =>
  keys.flatMap((value) => [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ])
const keyboard = (actions: object[]) => ({ type: 'key', id: 'keyboard', actions })

/** Whether the window has a new document, and all of it. The driver sometimes answers while the one before is still there. */
const LOADED = "return !('left' in window) && document.readyState === 'complete'"

function tabOf(command: Command, close: () => Promise<void>): Tab {
  const run: Tab['run'] = (script, args = []) => command('POST', '/execute/sync', { script, args })
  const act = async (source: object) => void (await command('POST', '/actions', { actions: [source] }))
  return {
    open: async (url) => {
      await run('window.left = true')
      await command('POST', '/url', { url })
      await expect.poll(() => run(LOADED)).toBe(true)
    },
    run,
    click: (x, y) => act(pointer(Math.round(x), Math.round(y))),
    type: (text) => act(keyboard(strokes(Array.from(text)))),
    press: (key, control = false) => {
      const inner = strokes([KEYS[key]])
      if (!control) return act(keyboard(inner))
      return act(keyboard([{ type: 'keyDown', value: KEYS.Control }, ...inner, { type: 'keyUp', value: KEYS.Control }]))
    },
    resize: async ({ width, height }) => void (await command('POST', '/window/rect', { x: 0, y: 0, width, height })),
    close,
  }
}

/** Starts WebKitGTK's small browser on a display without a screen; its driver accepts WebDriver. */
async function start(): Promise<Tab> {
  const [port = 0] = await freePorts(1)
  const display = spawn(DISPLAY, ['-displayfd', '3', '-screen', '0', '1400x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const programs = [display]
  try {
    const env = { ...process.env, DISPLAY: `:${await numberOf(display)}`, TZ: 'America/Santo_Domingo' }
    const driver = spawn(DRIVER, [`--port=${port}`], { env, stdio: 'ignore' })
    programs.unshift(driver)
    const base = `http://127.0.0.1:${port}`
    await waitFor(`${base}/status`, driver)
    const command = await openWindow(base)
    return tabOf(command, async () => {
      await command('DELETE', '')
      await finish(programs)
    })
  } catch (failure) {
    await finish(programs)
    throw failure
  }
}

const missing = [existsSync(DRIVER) ? '' : 'webkit2gtk-driver', existsSync(DISPLAY) ? '' : 'xvfb'].filter(Boolean)

export const webkit: Engine = { name: 'WebKit', missing: missing.join(' and '), start }
