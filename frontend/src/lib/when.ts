/** Does something later; answers how to leave it. */
export type When = (act: () => void) => () => void

/** Once the page has been painted and the browser has nothing better to do. */
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
/** The first thing that a visitor does. */
const SIGNALS = ['scroll', 'pointerdown', 'keydown', 'focusin'] as const
/** How long somebody may look at the first screen of a phone, which is then free for what is below, in milliseconds. */
const QUIET_MS = 3000

/** Whether the screen is a phone's. */
export const onPhone = () => matchMedia(NARROW_VIEW).matches

/** Whether whenSeen's moment has come once: what is asked for later need not wait for another. */
let looked = false

/**
 * For what a phone shows below its first screen: once the visitor does something, or after a while. Until then the line and
 * the processor belong to what is in sight. On wider screens as soon as the page has been painted.
 */
export const whenSeen: When = (act) => {
  // A visitor who scrolled before the page was hydrated uses it already.
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
    // The first change of a hidden tab is that it is shown.
    if (document.hidden) document.addEventListener('visibilitychange', begin)
    else begin()
  }, QUIET_MS)
  for (const signal of SIGNALS) addEventListener(signal, begin, { capture: true, passive: true })
  return () => {
    release()
    leave()
  }
}
