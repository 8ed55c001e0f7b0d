import { type ReactNode, startTransition, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type Location, Router, UNSAFE_createBrowserHistory as crearHistoria } from 'react-router-dom'
import { fondoDe } from './lib/fondo'
import { pagina, rutaDe } from './rutas'

const POCO_MOVIMIENTO = '(prefers-reduced-motion: reduce)'

/** The page that an address shows: the one under the modal when there is one. */
const paginaDe = ({ pathname, state }: Location) => fondoDe(state) ?? pathname

/** Whether going to another page is worth a cross-fade: its chunk is here, for someone who likes motion. */
const cruza = (destino: string) => pagina(rutaDe(destino)) !== undefined && !matchMedia(POCO_MOVIMIENTO).matches

/** Makes a change that shows, with a view transition where it is wanted and the browser has them (P-09). */
function mostrar(cambio: () => void, aqui: Location, alla: Location): void {
  const destino = paginaDe(alla)
  // What changes on one page is drawn at once: a field whose text stands in the address would lose letters that are typed meanwhile.
  if (paginaDe(aqui) === destino) {
    cambio()
    return
  }
  if (!cruza(destino) || typeof document.startViewTransition !== 'function') {
    startTransition(cambio)
    return
  }
  const transicion = document.startViewTransition(() => flushSync(cambio))
  // A transition that another one overtakes, or that nobody sees, is skipped: the change itself is made all the same.
  transicion.ready.catch(() => undefined)
}

/** The router of the browser's address bar, which fades from page to page; React Router's own knows nothing of that. */
export function Enrutador({ children }: { children: ReactNode }) {
  const [historia] = useState(() => crearHistoria({ v5Compat: true }))
  const [lugar, setLugar] = useState({ action: historia.action, location: historia.location })
  const ultimo = useRef(historia.location)
  useLayoutEffect(
    () =>
      historia.listen(({ action, location }) => {
        const aqui = ultimo.current
        ultimo.current = location
        mostrar(() => setLugar({ action, location }), aqui, location)
      }),
    [historia],
  )
  return (
    <Router location={lugar.location} navigationType={lugar.action} navigator={historia}>
      {children}
    </Router>
  )
}
