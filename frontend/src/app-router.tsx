import { type ReactNode, startTransition, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type Location, Router, UNSAFE_createBrowserHistory as createHistory } from 'react-router-dom'
import { backgroundOf } from './lib/background'
import { page, routeOf } from './pages'

const REDUCED_MOTION = '(prefers-reduced-motion: reduce)'

/** The page that an address shows: the one under the modal when there is one. */
const pageOf = ({ pathname, state }: Location) => backgroundOf(state) ?? pathname

/** Whether going to another page is worth a cross-fade: its chunk is here, for someone who likes motion. */
const fades = (target: string) => page(routeOf(target)) !== undefined && !matchMedia(REDUCED_MOTION).matches

/** Makes a change that shows, with a view transition where it is wanted and the browser has them (P-09). */
function show(change: () => void, here: Location, there: Location): void {
  const target = pageOf(there)
  // Changes within a page are drawn at once: a field whose text is in the URL would lose letters that are typed meanwhile.
  if (pageOf(here) === target) {
    change()
    return
  }
  if (!fades(target) || typeof document.startViewTransition !== 'function') {
    startTransition(change)
    return
  }
  const transition = document.startViewTransition(() => flushSync(change))
  // A transition that is overtaken by another or not visible is skipped; the change itself is made nevertheless.
  transition.ready.catch(() => undefined)
}

/** The router of the browser's address bar, which fades from page to page; React Router's own does not. */
export function AppRouter({ children }: { children: ReactNode }) {
  const [browserHistory] = useState(() => createHistory({ v5Compat: true }))
  const [place, setPlace] = useState({ action: browserHistory.action, location: browserHistory.location })
  const last = useRef(browserHistory.location)
  useLayoutEffect(
    () =>
      browserHistory.listen(({ action, location }) => {
        const here = last.current
        last.current = location
        show(() => setPlace({ action, location }), here, location)
      }),
    [browserHistory],
  )
  return (
    <Router location={place.location} navigationType={place.action} navigator={browserHistory}>
      {children}
    </Router>
  )
}
