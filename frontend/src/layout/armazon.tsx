import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { t } from '../i18n/es'
import { fondoDe } from '../lib/fondo'
import { Barra } from './barra'
import { Pie } from './pie'

/** After a change of page: to its top, or to what the address names, with the focus on the content. */
function useLlegada(contenido: { current: HTMLElement | null }): void {
  const { pathname: direccion, hash, state } = useLocation()
  const pathname = fondoDe(state) ?? direccion
  const primera = useRef(true)
  useEffect(() => {
    const destino = hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null
    if (destino) destino.scrollIntoView()
    else if (!primera.current) {
      window.scrollTo(0, 0)
      contenido.current?.focus({ preventScroll: true })
    }
    primera.current = false
  }, [pathname, hash, contenido])
}

/** Bar, page and footer: the frame of every public page. */
export function Armazon({ children }: { children: ReactNode }) {
  const [menuAbierto, setMenuAbierto] = useState(false)
  const contenido = useRef<HTMLElement>(null)
  useLlegada(contenido)
  return (
    <div className="flex min-h-dvh flex-col">
      <a href="#contenido" className="boton fixed top-2 left-2 z-50 -translate-y-24 focus:translate-y-0">
        {t.comun.saltar}
      </a>
      <Barra menuAbierto={menuAbierto} alCambiarMenu={setMenuAbierto} />
      <main ref={contenido} id="contenido" tabIndex={-1} inert={menuAbierto} className="grow outline-none">
        {children}
      </main>
      <div inert={menuAbierto}>
        <Pie />
      </div>
    </div>
  )
}
