import { useEffect } from 'react'
import type { Meta } from '../meta'
import type { Ruta } from '../rutas'

/** What heads say is no business of the first paint: prerendered pages have it already. */
const tabla = () => import('../meta')

/** Says in the head what a page is. */
function aplicar({ titulo, descripcion, indexar }: Meta): void {
  document.title = titulo
  contenido('meta[name="description"]', descripcion)
  contenido('meta[property="og:title"]', titulo)
  contenido('meta[property="og:description"]', descripcion)
  contenido('meta[name="robots"]', indexar ? 'index,follow' : 'noindex')
  const canonico = document.querySelector('link[rel="canonical"]')
  if (canonico) canonico.setAttribute('href', new URL(location.pathname, canonico.getAttribute('href') ?? location.href).href)
}

function contenido(selector: string, texto: string): void {
  document.querySelector(selector)?.setAttribute('content', texto)
}

/** Says what a page found out about itself, in turn after what its route says. Answers how to hold it back. */
export function decir(que: (meta: Record<Ruta, Meta>) => Meta): () => void {
  let vigente = true
  tabla().then(
    ({ META }) => {
      if (vigente) aplicar(que(META))
    },
    // Without the table the head stays as it was.
    () => undefined,
  )
  return () => {
    vigente = false
  }
}

/** Keeps title and description of the page in step with the route. The page that was prerendered says them already, until it is left. */
export function useMeta(ruta: Ruta): void {
  useEffect(() => {
    const raiz = document.getElementById('raiz')
    if (raiz?.dataset['ruta'] !== ruta) return decir((META) => META[ruta])
    return () => {
      delete raiz.dataset['ruta']
    }
  }, [ruta])
}
