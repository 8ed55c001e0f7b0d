import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router-dom'
import { backgroundOf } from '../lib/background'

/** How long a restored page may take to reach its former height, in milliseconds. */
const PATIENCE_MS = 2000
/** The events by which a visitor scrolls. */
const GESTURES = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const

/** Scrolls to a position, again while the page is too short, until the visitor scrolls. Returns a function that stops it. */
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

/** Stores the scroll position of each history entry of the session. */
function useHeights(entry: string): RefObject<Map<string, number>> {
  const heights = useRef(new Map<string, number>())
  useEffect(() => {
    // The browser restores positions before the page is rendered. It does so only after a reload.
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
  // Runs before the browser scrolls because of the new page's height, which does not concern the old page.
  useLayoutEffect(() => {
    const record = () => void heights.current.set(entry, window.scrollY)
    if (!heights.current.has(entry)) record()
    addEventListener('scroll', record, { passive: true })
    return () => removeEventListener('scroll', record)
  }, [entry])
  return heights
}

/** The element that the fragment of an address names, if any. */
function named(hash: string): HTMLElement | null {
  try {
    return hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null
  } catch {
    // The fragment is not encoded correctly. No element has such a name.
    return null
  }
}

/**
 * After navigation: scrolls to the top, to the element that the address names, or, for Back and Forward, to the former
 * position, and moves the focus to the content. Opening or closing a modal does not scroll the page or move the focus;
 * the modal does the latter.
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
    // The key of the history entry changes with every replacement of the address, which is not a navigation.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [pathname, hash, windowOf, content])
}
