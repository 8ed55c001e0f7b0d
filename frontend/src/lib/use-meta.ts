import { useEffect } from 'react'
import type { Meta } from '../meta'
import type { RoutePath } from '../pages'

/** What heads say is no business of the first paint: prerendered pages have it already. */
const table = () => import('../meta')

/** Says in the head what a page is. */
function apply({ title, description, index }: Meta): void {
  document.title = title
  content('meta[name="description"]', description)
  content('meta[property="og:title"]', title)
  content('meta[property="og:description"]', description)
  content('meta[name="robots"]', index ? 'index,follow' : 'noindex')
  const canonicalOf = document.querySelector('link[rel="canonical"]')
  if (canonicalOf) canonicalOf.setAttribute('href', new URL(location.pathname, canonicalOf.getAttribute('href') ?? location.href).href)
}

function content(selector: string, text: string): void {
  document.querySelector(selector)?.setAttribute('content', text)
}

/** Says what a page found out about itself, in turn after what its route says. Answers how to hold it back. */
export function say(que: (meta: Record<RoutePath, Meta>) => Meta): () => void {
  let currentOne = true
  table().then(
    ({ META }) => {
      if (currentOne) apply(que(META))
    },
    // Without the table the head stays as it was.
    () => undefined,
  )
  return () => {
    currentOne = false
  }
}

/** Keeps title and description of the page in step with the route. The page that was prerendered says them already, until it is left. */
export function useMeta(route: RoutePath): void {
  useEffect(() => {
    const root = document.getElementById('raiz')
    if (root?.dataset['ruta'] !== route) return say((META) => META[route])
    return () => {
      delete root.dataset['ruta']
    }
  }, [route])
}
