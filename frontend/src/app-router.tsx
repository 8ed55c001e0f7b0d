import { type ReactNode, startTransition, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type Location, Router, UNSAFE_createBrowserHistory as createHistory } from 'react-router-dom'
import { backgroundOf } from './lib/background'
import { page } from './loading'
import { routeOf } from './paths'

const REDUCED_MOTION = '(prefers-reduced-motion: reduce)'

/** The page of an address. If a modal is open, it is the page under it. */
const pageOf = ({ pathname, state }: Location) => backgroundOf(state) ?? pathname

/** Whether navigation should cross-fade: the page's chunk is loaded, and the visitor does not prefer reduced motion. */
const fades = (target: string) => page(routeOf(target)) !== undefined && !matchMedia(REDUCED_MOTION).matches

/** Makes a visible change, with a view transition if it is wanted and supported (P-09). */
function show(change: () => void, here: Location, there: Location): void {
  const target = pageOf(there)
  // Changes within a page are rendered immediately: a field whose text is in the URL would lose letters that are typed meanwhile.
  if (pageOf(here) === target) {
    change()
    return
  }
  if (!fades(target) || typeof document.startViewTransition !== 'function') {
    startTransition(change)
    return
  }
  const transition = document.startViewTransition(() => flushSync(change))
  // A transition that another one replaces, or that is not visible, is skipped. The change is made nevertheless.
  transition.ready.catch(() => undefined)
}

/** The router of the browser's address bar. It fades between pages, which React Router's own router does not. */
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
