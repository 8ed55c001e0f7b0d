import { type MouseEvent, type ReactNode, useRef, useState } from 'react'
import { t } from '../i18n/es'
import { useImpresion } from '../lib/use-impresion'
import { Barra } from './barra'
import { Membrete } from './membrete'
import { Pie } from './pie'
import { useLlegada } from './use-llegada'

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
      <a href="#contenido" onClick={saltar} className="no-imprimir boton fixed top-2 left-2 z-50 -translate-y-24 focus:translate-y-0">
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
