// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { When } from './when'

let whenSeen: When

/** A window of the given width that is idle immediately. */
function screen(narrow: boolean): void {
  vi.stubGlobal('matchMedia', () => ({ matches: narrow }))
  vi.stubGlobal('requestIdleCallback', (act: () => void) => setTimeout(act))
  vi.stubGlobal('cancelIdleCallback', clearTimeout)
}

beforeEach(async () => {
  vi.resetModules()
  ;({ whenSeen } = await import('./when'))
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a wide screen does not wait', () => {
  screen(false)
  const act = vi.fn()
  whenSeen(act)
  vi.advanceTimersByTime(1)
  expect(act).toHaveBeenCalledOnce()
})

test.each(['scroll', 'pointerdown', 'keydown', 'focusin'])('a phone waits for the first %s', (signal) => {
  screen(true)
  const act = vi.fn()
  whenSeen(act)
  vi.advanceTimersByTime(2000)
  expect(act).not.toHaveBeenCalled()
  dispatchEvent(new Event(signal))
  dispatchEvent(new Event(signal))
  vi.advanceTimersByTime(5000)
  expect(act).toHaveBeenCalledOnce()
})

test('a phone without gestures waits for three seconds', () => {
  screen(true)
  const act = vi.fn()
  whenSeen(act)
  vi.advanceTimersByTime(2999)
  expect(act).not.toHaveBeenCalled()
  vi.advanceTimersByTime(2)
  expect(act).toHaveBeenCalledOnce()
})

test.each([0, 3000])('who leaves after %d ms is not disturbed', (ms) => {
  screen(true)
  const act = vi.fn()
  const forget = whenSeen(act)
  vi.advanceTimersByTime(ms)
  forget()
  dispatchEvent(new Event('scroll'))
  vi.advanceTimersByTime(9000)
  expect(act).toHaveBeenCalledTimes(0)
})

test('a page that was used once does not wait again, even if the first waiter was cancelled', () => {
  screen(true)
  const leave = whenSeen(vi.fn())
  dispatchEvent(new Event('pointerdown'))
  leave()
  const act = vi.fn()
  whenSeen(act)
  vi.advanceTimersByTime(1)
  expect(act).toHaveBeenCalledOnce()
})

test('a phone whose tab is hidden waits until it is shown', () => {
  screen(true)
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  const act = vi.fn()
  whenSeen(act)
  vi.advanceTimersByTime(9000)
  expect(act).not.toHaveBeenCalled()
  hidden.mockReturnValue(false)
  document.dispatchEvent(new Event('visibilitychange'))
  vi.advanceTimersByTime(1)
  expect(act).toHaveBeenCalledOnce()
})
