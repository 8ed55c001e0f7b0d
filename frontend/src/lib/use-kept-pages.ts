import { useEffect } from 'react'

/** The events that show that a visitor uses the page: loading in advance must not delay the first use. */
const GESTURES = ['pointerdown', 'keydown', 'scroll', 'wheel'] as const
/** The panel is never stored. */
const PRIVATE = /^\/(?:LogIn|AdminView)/

let begun = false

/** Stores the shown pages for offline reading, from the visitor's first gesture on (P-12). */
export function useKeptPages(path: string): void {
  useEffect(() => {
    if (!import.meta.env.PROD || PRIVATE.test(path)) return
    const stop = () => {
      for (const gesture of GESTURES) removeEventListener(gesture, begin)
    }
    const begin = () => {
      begun = true
      stop()
      // Without storage, pages are available only with a connection.
      import('./offline').then(({ keepPage }) => keepPage(path)).catch(() => undefined)
    }
    if (begun) begin()
    else for (const gesture of GESTURES) addEventListener(gesture, begin, { passive: true })
    return stop
  }, [path])
}
