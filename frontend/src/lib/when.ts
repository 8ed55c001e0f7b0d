/** Runs a function later. Returns a function that cancels it. */
export type When = (act: () => void) => () => void

/** After the first paint, when the browser is idle. */
export const afterPaint: When = (act) => {
  if (typeof requestIdleCallback !== 'function') {
    const timer = setTimeout(act, 200)
    return () => clearTimeout(timer)
  }
  const turn = requestIdleCallback(act, { timeout: 2500 })
  return () => cancelIdleCallback(turn)
}

/** The screens of phones, where content below the first screen is loaded later. */
const NARROW_VIEW = '(max-width: 639px)'
/** The events that count as a visitor's first action. */
const SIGNALS = ['scroll', 'pointerdown', 'keydown', 'focusin'] as const
/** How long a phone shows the first screen before it loads the content below, in milliseconds. */
const QUIET_MS = 3000

/** Whether the screen is a phone's. */
export const onPhone = () => matchMedia(NARROW_VIEW).matches

/** Whether whenSeen has run once. Later calls need not wait again. */
let looked = false

/**
 * Runs a function for content below a phone's first screen: after the visitor's first action, or after some time. Until
 * then the connection and the processor are available to visible content. On wider screens it runs after the first
 * paint.
 */
export const whenSeen: When = (act) => {
  // A visitor who scrolled before hydration already uses the page.
  if (looked || !onPhone() || window.scrollY > 0) return afterPaint(act)
  let leave = () => undefined as void
  const release = () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', begin)
    for (const signal of SIGNALS) removeEventListener(signal, begin, true)
  }
  const begin = () => {
    looked = true
    release()
    leave = afterPaint(act)
  }
  const timer = setTimeout(() => {
    // The first visibility change of a hidden tab is that it becomes visible.
    if (document.hidden) document.addEventListener('visibilitychange', begin)
    else begin()
  }, QUIET_MS)
  for (const signal of SIGNALS) addEventListener(signal, begin, { capture: true, passive: true })
  return () => {
    release()
    leave()
  }
}
