import type { ReactNode } from 'react'
import type { Slot } from '../art/imagen'
import { Lamina } from '../art/lamina'

type Props = { titulo: string; entrada?: string; imagen?: Slot; children?: ReactNode }

/** The top of a page: its h1, a sentence, and a print beside it. */
export function Encabezado({ titulo, entrada, imagen, children }: Props) {
  return (
    <div className="border-linea bg-banda border-b-2">
      <div
        className={`contenedor grid items-center gap-10 py-10 md:py-14 print:gap-2 print:py-3 ${imagen ? 'md:grid-cols-[1fr_minmax(0,22rem)] lg:gap-20' : ''}`}
      >
        <div>
          <h1 className="titulo-1">{titulo}</h1>
          {entrada ? <p className="entrada mt-5">{entrada}</p> : null}
          {children ? <div className="mt-7 flex flex-wrap gap-4">{children}</div> : null}
        </div>
        {imagen ? (
          <Lamina slot={imagen} tinta="sol" sizes="(min-width: 768px) 352px, 100vw" className="mr-2 max-w-[22rem]" priority />
        ) : null}
      </div>
    </div>
  )
}
