import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { alMirar } from './momento'

/** A window as wide as asked, whose quiet moment is at once. */
function pantalla(estrecha: boolean): void {
  vi.stubGlobal('matchMedia', () => ({ matches: estrecha }))
  vi.stubGlobal('requestIdleCallback', (hacer: () => void) => setTimeout(hacer))
  vi.stubGlobal('cancelIdleCallback', clearTimeout)
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a wide screen does not wait', () => {
  pantalla(false)
  const hacer = vi.fn()
  alMirar(hacer)
  vi.advanceTimersByTime(1)
  expect(hacer).toHaveBeenCalledOnce()
})

test.each(['scroll', 'pointerdown', 'keydown', 'focusin'])('a phone waits for the first %s', (señal) => {
  pantalla(true)
  const hacer = vi.fn()
  alMirar(hacer)
  vi.advanceTimersByTime(2000)
  expect(hacer).not.toHaveBeenCalled()
  dispatchEvent(new Event(señal))
  dispatchEvent(new Event(señal))
  vi.advanceTimersByTime(5000)
  expect(hacer).toHaveBeenCalledOnce()
})

test('a phone that nobody touches waits for three seconds', () => {
  pantalla(true)
  const hacer = vi.fn()
  alMirar(hacer)
  vi.advanceTimersByTime(2999)
  expect(hacer).not.toHaveBeenCalled()
  vi.advanceTimersByTime(2)
  expect(hacer).toHaveBeenCalledOnce()
})

test.each([0, 3000])('who leaves after %d ms is not disturbed', (ms) => {
  pantalla(true)
  const hacer = vi.fn()
  const olvidar = alMirar(hacer)
  vi.advanceTimersByTime(ms)
  olvidar()
  dispatchEvent(new Event('scroll'))
  vi.advanceTimersByTime(9000)
  expect(hacer).toHaveBeenCalledTimes(0)
})
