import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router-dom'
import { backgroundOf } from '../lib/background'

/** How long a page that comes back may take to grow to the height that it had, in milliseconds. */
const PATIENCE_MS = 2000
/** What the visitor does to scroll by himself. */
const GESTURES = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const

/** Scrolls to where the page was, again while it is still too short, until the visitor scrolls. Answers how to stop. */
function backTo(heightOf: number): () => void {
  const move = () => window.scrollTo(0, heightOf)
  const grows = new ResizeObserver(move)
  const stop = () => {
    clearTimeout(timer)
    grows.disconnect()
    for (const gesture of GESTURES) removeEventListener(gesture, stop)
  }
  const timer = setTimeout(stop, PATIENCE_MS)
  for (const gesture of GESTURES) addEventListener(gesture, stop, { passive: true })
  move()
  grows.observe(document.body)
  return stop
}

/** Keeps how far each page of the session was scrolled, by its entry in the history. */
function useHeights(entry: string): RefObject<Map<string, number>> {
  const heights = useRef(new Map<string, number>())
  useEffect(() => {
    // The browser's own scrolling back comes before the page is there; only a reload is left to it.
    const onLeave = () => {
      history.scrollRestoration = 'auto'
    }
    history.scrollRestoration = 'manual'
    addEventListener('pagehide', onLeave)
    return () => {
      onLeave()
      removeEventListener('pagehide', onLeave)
    }
  }, [])
  // Before the browser scrolls for the new page's height: that is none of the old one's doing.
  useLayoutEffect(() => {
    const record = () => void heights.current.set(entry, window.scrollY)
    if (!heights.current.has(entry)) record()
    addEventListener('scroll', record, { passive: true })
    return () => removeEventListener('scroll', record)
  }, [entry])
  return heights
}

/** What the fragment of an address names on the page, if anything. */
function named(hash: string): HTMLElement | null {
  try {
    return hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null
  } catch {
    // Not an encoded text: nothing has such a name.
    return null
  }
}

/**
 * After a change of page: to its top, to what the address names, or by Back and Forward to where it was left, with the
 * focus on the content. A modal that opens over the page, or closes, leads nowhere: the page stays where it was
 * scrolled and the focus is the modal's business.
 */
export function useArrival(content: RefObject<HTMLElement | null>): void {
  const { pathname: address, hash, state, key } = useLocation()
  const returns = useNavigationType() === 'POP'
  const background = backgroundOf(state)
  const pathname = background ?? address
  const windowOf = background !== null && background !== undefined
  const heights = useHeights(key)
  const previous = useRef<{ pathname: string; windowOf: boolean }>(null)
  useEffect(() => {
    const before = previous.current
    previous.current = { pathname, windowOf }
    if (before?.pathname === pathname && (windowOf || before.windowOf)) return undefined
    const target = named(hash)
    const heightOf = before && returns && !target ? heights.current.get(key) : undefined
    if (before && !target) content.current?.focus({ preventScroll: true })
    if (heightOf !== undefined) return backTo(heightOf)
    if (target) target.scrollIntoView()
    else if (before) window.scrollTo(0, 0)
    return undefined
    // The entry in the history changes with every replacement of the address, which is no arrival.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [pathname, hash, windowOf, content])
}
