import { Signo } from './signo'
import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { t } from '../i18n/es'

type Props = { abierto: boolean; alCerrar: () => void; titulo: string; antes?: ReactNode; children: ReactNode }

/**
 * A modal of the page: native dialog, closed by its X, Escape or a click on the backdrop; a full sheet on phones.
 * The browser keeps the focus inside and gives it back to the opener.
 */
export function Dialogo({ abierto, alCerrar, titulo, antes, children }: Props) {
  const dialogo = useRef<HTMLDialogElement>(null)
  const idTitulo = useId()
  useEffect(() => {
    const nodo = dialogo.current
    if (!nodo || !abierto) return
    const origen = document.activeElement
    nodo.showModal()
    return () => {
      nodo.close()
      if (origen instanceof HTMLElement) origen.focus()
    }
  }, [abierto])
  // A text selected with the mouse may end outside; only what began outside closes.
  const empezoFuera = useRef(false)
  const alApretar = (suceso: MouseEvent) => {
    empezoFuera.current = suceso.target === dialogo.current
  }
  const alPulsar = (suceso: MouseEvent) => {
    if (suceso.target === dialogo.current && empezoFuera.current) alCerrar()
  }
  return (
    // The backdrop is the dialog itself: its content fills it, so a click on the element is a click outside. Escape is the browser's.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialogo}
      aria-labelledby={idTitulo}
      onMouseDown={alApretar}
      onClick={alPulsar}
      onCancel={(suceso) => {
        suceso.preventDefault()
        alCerrar()
      }}
      className="ventana border-borde bg-fondo text-texto m-auto w-[min(41rem,calc(100vw-2rem))] max-w-none overflow-auto overscroll-contain rounded-sm border-2 p-0 max-sm:m-0 max-sm:h-dvh max-sm:max-h-none max-sm:w-screen max-sm:border-0"
    >
      {abierto ? (
        <div className="relative min-h-full p-5 sm:p-8">
          <button
            type="button"
            aria-label={t.comun.cerrar}
            onClick={alCerrar}
            className="border-borde bg-superficie sticky top-0 z-10 float-right ml-4 grid size-11 place-items-center rounded-sm border-2"
          >
            <Signo nombre="cerrar" />
          </button>
          {antes}
          <h2 id={idTitulo} className="titulo-2 wrap-anywhere">
            {titulo}
          </h2>
          <div className="mt-5 clear-both">{children}</div>
        </div>
      ) : null}
    </dialog>
  )
}
