import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { t } from '../i18n/es'
import { fondoDe } from '../lib/fondo'
import { useImpresion } from '../lib/use-impresion'
import { Barra } from './barra'
import { Membrete } from './membrete'
import { Pie } from './pie'

/**
 * After a change of page: to its top, or to what the address names, with the focus on the content. A modal that opens
 * over the page, or closes, leads nowhere: the page stays where it was scrolled and the focus is the modal's business.
 */
function useLlegada(contenido: { current: HTMLElement | null }): void {
  const { pathname: direccion, hash, state } = useLocation()
  const fondo = fondoDe(state)
  const pathname = fondo ?? direccion
  const ventana = fondo !== null && fondo !== undefined
  const anterior = useRef<{ pathname: string; ventana: boolean }>(null)
  useEffect(() => {
    const antes = anterior.current
    anterior.current = { pathname, ventana }
    if (antes?.pathname === pathname && (ventana || antes.ventana)) return
    const destino = hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null
    if (destino) destino.scrollIntoView()
    else if (antes) {
      window.scrollTo(0, 0)
      contenido.current?.focus({ preventScroll: true })
    }
  }, [pathname, hash, ventana, contenido])
}

/** Bar, page and footer: the frame of every public page. */
export function Armazon({ children }: { children: ReactNode }) {
  const [menuAbierto, setMenuAbierto] = useState(false)
  const contenido = useRef<HTMLElement>(null)
  const enPapel = useImpresion()
  useLlegada(contenido)
  // Without a new entry in the history: going back to one with a fragment would take the focus to it again.
  const saltar = (suceso: MouseEvent) => {
    suceso.preventDefault()
    contenido.current?.focus()
  }
  return (
    <div className="flex min-h-dvh flex-col">
      <a href="#contenido" onClick={saltar} className="boton fixed top-2 left-2 z-50 -translate-y-24 focus:translate-y-0">
        {t.comun.saltar}
      </a>
      <Barra menuAbierto={menuAbierto} alCambiarMenu={setMenuAbierto} />
      {enPapel ? <Membrete /> : null}
      <main ref={contenido} id="contenido" tabIndex={-1} inert={menuAbierto} className="grow outline-none">
        {children}
      </main>
      <div inert={menuAbierto}>
        <Pie />
      </div>
    </div>
  )
}
