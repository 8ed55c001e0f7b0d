import { type ComponentType, useEffect, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { Skeleton } from './components/skeleton'
import { ErrorBoundary } from './components/error-boundary'
import { Shell } from './layout/shell'
import { backgroundOf } from './lib/background'
import { useMeta } from './lib/use-meta'
import { load, page } from './loading'
import { type RoutePath, routeOf } from './paths'

/** Pages without the bar and the footer. */
const BARE: ReadonlySet<RoutePath> = new Set(['/LogIn', '/AdminView'])

/** A page in its own chunk: rendered immediately if the chunk is loaded, otherwise after a skeleton. */
function Page({ route }: { route: RoutePath }) {
  const [Arrival, setArrival] = useState<ComponentType | undefined>(() => page(route))
  const [failure, setFailure] = useState<Error | null>(null)
  useEffect(() => {
    if (Arrival) return
    load(route).then(
      (component) => setArrival(() => component),
      (error: unknown) => setFailure(error instanceof Error ? error : new Error(String(error))),
    )
  }, [route, Arrival])
  if (failure) throw failure
  return Arrival ? <Arrival /> : <Skeleton />
}

/** The site: every route, each page in its own chunk. */
export function App() {
  const place = useLocation()
  // A modal with its own address leaves the page under it in place.
  const pathname = backgroundOf(place.state) ?? place.pathname
  const route = routeOf(pathname)
  useMeta(route)
  const pages = (
    <ErrorBoundary key={pathname}>
      <Page key={route} route={route} />
    </ErrorBoundary>
  )
  return BARE.has(route) ? pages : <Shell>{pages}</Shell>
}
