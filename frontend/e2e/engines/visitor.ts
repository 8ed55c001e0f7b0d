import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from '@playwright/test'
import type { Json, Key, Tab } from './tab'

/** Finds elements by role and name in the page, in every engine by the same rules. */
const FINDER = readFileSync(createRequire(import.meta.url).resolve('@testing-library/dom/dist/@testing-library/dom.umd.min.js'), 'utf8')

/** An element by its role and its accessible name: the whole of it, or what a pattern matches. The role «label» is a field by its label. */
export type Sought = { role: string; name: string | RegExp; inside?: string }

type Found = { x: number; y: number; over: string; focused: boolean; value: string }

/** The body of a function of the page: what matches, the first one scrolled into view. */
const FIND = `
  const [role, source, flags, inside] = arguments
  const area = inside ? document.querySelector(inside) : document.body
  if (!area) return []
  const name = flags === null ? source : new RegExp(source, flags)
  const found = role === 'label' ? TestingLibraryDom.queryAllByLabelText(area, name) : TestingLibraryDom.queryAllByRole(area, role, { name })
  const tell = (node) => {
    const box = node.getBoundingClientRect()
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
    const top = document.elementFromPoint(x, y)
    const over = node.disabled ? 'its state disabled' : node.contains(top) ? '' : (top?.outerHTML.slice(0, 100) ?? 'the edge of the window')
    return { x, y, over, focused: node === document.activeElement, value: 'value' in node ? String(node.value) : '' }
  }
  if (found[0] && tell(found[0]).over) found[0].scrollIntoView({ block: 'center', behavior: 'instant' })
  return found.map(tell)
`

/** The body of a function of the page: the middle of the nth element of a selector, scrolled into view. */
const PLACE = `
  const element = document.querySelectorAll(arguments[0])[arguments[1]]
  element.scrollIntoView({ block: 'center', behavior: 'instant' })
  const { left, top, width, height } = element.getBoundingClientRect()
  return [left + width / 2, top + height / 2]
`

/** The actions of a visitor in a tab of the site. Each waits until it is possible. */
export type Visitor = {
  go: (path: string) => Promise<void>
  resize: Tab['resize']
  key: (key: Key) => Promise<void>
  /** Runs a script in the page, as Tab does. */
  ask: (script: string, ...args: Json[]) => Promise<unknown>
  find: (sought: Sought) => Promise<Found[]>
  /** Waits until there is one; and until none is. */
  sees: (sought: Sought) => Promise<void>
  misses: (sought: Sought) => Promise<void>
  /** Waits until the visible text of the page holds this; and until it does not. */
  reads: (text: string) => Promise<void>
  press: (sought: Sought) => Promise<void>
  /** Presses the nth element of a selector. */
  pressAt: (selector: string, index: number) => Promise<void>
  /** Replaces what a field holds. */
  fill: (label: string, text: string, inside?: string) => Promise<void>
  focuses: (sought: Sought) => Promise<void>
}

const wait = { timeout: 30_000 }

export function visitor(tab: Tab, base: string): Visitor {
  const find = async ({ role, name, inside = '' }: Sought): Promise<Found[]> => {
    if ((await tab.run('return typeof TestingLibraryDom', [])) === 'undefined') await tab.run(FINDER, [])
    const [source, flags] = typeof name === 'string' ? [name, null] : [name.source, name.flags]
    return (await tab.run(FIND, [role, source, flags, inside])) as Found[]
  }
  const tells = (sought: Sought) => `${sought.role} ${sought.name}`
  const counts = (sought: Sought) => expect.poll(async () => (await find(sought)).length, { ...wait, message: tells(sought) })
  const sees = (sought: Sought) => counts(sought).toBeGreaterThan(0)
  const press = async (sought: Sought) => {
    let place = { x: -1, y: -1 }
    // An element that still moves, for example after scrolling, is covered, or is disabled, as the buttons of forms are
    // until their scripts run, would not receive the press.
    const ready = async () => {
      const [first] = await find(sought)
      if (!first) return 'none'
      const still = first.x === place.x && first.y === place.y
      place = first
      return first.over ? `covered by ${first.over}` : still
    }
    await expect.poll(ready, { ...wait, intervals: [50], message: tells(sought) }).toBe(true)
    await tab.click(place.x, place.y)
  }
  return {
    go: (path) => tab.open(base + path),
    resize: tab.resize,
    key: (key) => tab.press(key),
    ask: (script, ...args) => tab.run(script, args),
    find,
    sees,
    misses: (sought) => counts(sought).toBe(0),
    reads: (text) => expect.poll(() => tab.run('return document.body.innerText', []), wait).toContain(text),
    press,
    pressAt: async (selector, index) => {
      const [x = 0, y = 0] = (await tab.run(PLACE, [selector, index])) as number[]
      await tab.click(x, y)
    },
    fill: async (label, text, inside = 'main') => {
      const field = { role: 'label', name: label, inside }
      await press(field)
      await tab.press('a', true)
      await tab.press('Backspace')
      await tab.type(text)
      await expect.poll(async () => (await find(field))[0]?.value, { ...wait, message: label }).toBe(text)
    },
    focuses: (sought) => expect.poll(async () => (await find(sought))[0]?.focused, { ...wait, message: tells(sought) }).toBe(true),
  }
}
