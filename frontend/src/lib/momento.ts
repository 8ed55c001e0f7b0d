/** Does something later; answers how to leave it. */
export type Momento = (hacer: () => void) => () => void

/** Once the page has been painted and the browser has nothing better to do. */
export const trasPintar: Momento = (hacer) => {
  if (typeof requestIdleCallback !== 'function') {
    const reloj = setTimeout(hacer, 200)
    return () => clearTimeout(reloj)
  }
  const turno = requestIdleCallback(hacer, { timeout: 2500 })
  return () => cancelIdleCallback(turno)
}

/** Where what comes later stands below the first screen. */
const ESTRECHA = '(max-width: 639px)'
/** The first thing that a visitor does. */
const SEÑALES = ['scroll', 'pointerdown', 'keydown', 'focusin'] as const
/** How long somebody may look at the first screen of a phone, which is then free for what is below, in milliseconds. */
const CALMA_MS = 3000

/**
 * For what a phone shows below its first screen: once the visitor does something, or after a while. Until then the line and
 * the processor belong to what is in sight. On wider screens as soon as the page has been painted.
 */
export const alMirar: Momento = (hacer) => {
  // Who has scrolled before the page was live is looking already.
  if (!matchMedia(ESTRECHA).matches || window.scrollY > 0) return trasPintar(hacer)
  let dejar = () => undefined as void
  const soltar = () => {
    clearTimeout(reloj)
    for (const señal of SEÑALES) removeEventListener(señal, ya, true)
  }
  const ya = () => {
    soltar()
    dejar = trasPintar(hacer)
  }
  const reloj = setTimeout(ya, CALMA_MS)
  for (const señal of SEÑALES) addEventListener(señal, ya, { capture: true, passive: true })
  return () => {
    soltar()
    dejar()
  }
}
