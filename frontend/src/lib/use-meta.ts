import { useEffect } from 'react'
import type { Meta } from '../meta'
import type { RoutePath } from '../paths'

/** The metadata are not needed for the first paint, because prerendered pages contain them. */
const table = () => import('../meta')

/** Writes a page's metadata into the head. */
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

/** Sets metadata that a page has loaded, after those of its route. Returns a function that cancels this. */
export function setMeta(select: (meta: Record<RoutePath, Meta>) => Meta): () => void {
  let active = true
  table().then(
    ({ META }) => {
      if (active) apply(select(META))
    },
    // Without the table, the head is not changed.
    () => undefined,
  )
  return () => {
    active = false
  }
}

/** Updates the title and the description when the route changes. A prerendered page already contains them. */
export function useMeta(route: RoutePath): void {
  useEffect(() => {
    const root = document.getElementById('raiz')
    if (root?.dataset['ruta'] !== route) return setMeta((META) => META[route])
    return () => {
      delete root.dataset['ruta']
    }
  }, [route])
}
