import { useEffect } from 'react'
import { META, type Meta } from '../meta'
import type { Ruta } from '../rutas'

/** Says what the head says of the page now: prerendered pages have it already, later ones get it here. */
export function aplicarMeta({ titulo, descripcion, indexar }: Meta): void {
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

/** Keeps title and description of the page in step with the route. */
export function useMeta(ruta: Ruta): void {
  useEffect(() => aplicarMeta(META[ruta]), [ruta])
}
