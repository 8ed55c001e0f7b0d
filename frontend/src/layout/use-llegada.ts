import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router-dom'
import { fondoDe } from '../lib/fondo'

/** How long a page that comes back may take to grow to the height that it had, in milliseconds. */
const PACIENCIA_MS = 2000
/** What the visitor does to scroll by himself. */
const GESTOS = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const

/** Scrolls to where the page was, again while it is still too short, until the visitor scrolls. Answers how to stop. */
function volverA(altura: number): () => void {
  const mover = () => window.scrollTo(0, altura)
  const crece = new ResizeObserver(mover)
  const parar = () => {
    clearTimeout(reloj)
    crece.disconnect()
    for (const gesto of GESTOS) removeEventListener(gesto, parar)
  }
  const reloj = setTimeout(parar, PACIENCIA_MS)
  for (const gesto of GESTOS) addEventListener(gesto, parar, { passive: true })
  mover()
  crece.observe(document.body)
  return parar
}

/** Keeps how far each page of the session was scrolled, by its entry in the history. */
function useAlturas(clave: string): RefObject<Map<string, number>> {
  const alturas = useRef(new Map<string, number>())
  useEffect(() => {
    // The browser's own scrolling back comes before the page is there; only a reload is left to it.
    const alIrse = () => {
      history.scrollRestoration = 'auto'
    }
    history.scrollRestoration = 'manual'
    addEventListener('pagehide', alIrse)
    return () => {
      alIrse()
      removeEventListener('pagehide', alIrse)
    }
  }, [])
  // Before the browser scrolls for the new page's height: that is none of the old one's doing.
  useLayoutEffect(() => {
    const apuntar = () => void alturas.current.set(clave, window.scrollY)
    if (!alturas.current.has(clave)) apuntar()
    addEventListener('scroll', apuntar, { passive: true })
    return () => removeEventListener('scroll', apuntar)
  }, [clave])
  return alturas
}

/** What the fragment of an address names on the page, if anything. */
function nombrado(hash: string): HTMLElement | null {
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
export function useLlegada(contenido: RefObject<HTMLElement | null>): void {
  const { pathname: direccion, hash, state, key } = useLocation()
  const vuelve = useNavigationType() === 'POP'
  const fondo = fondoDe(state)
  const pathname = fondo ?? direccion
  const ventana = fondo !== null && fondo !== undefined
  const alturas = useAlturas(key)
  const anterior = useRef<{ pathname: string; ventana: boolean }>(null)
  useEffect(() => {
    const antes = anterior.current
    anterior.current = { pathname, ventana }
    if (antes?.pathname === pathname && (ventana || antes.ventana)) return undefined
    const destino = nombrado(hash)
    const altura = antes && vuelve && !destino ? alturas.current.get(key) : undefined
    if (antes && !destino) contenido.current?.focus({ preventScroll: true })
    if (altura !== undefined) return volverA(altura)
    if (destino) destino.scrollIntoView()
    else if (antes) window.scrollTo(0, 0)
    return undefined
    // The entry in the history changes with every replacement of the address, which is no arrival.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [pathname, hash, ventana, contenido])
}
