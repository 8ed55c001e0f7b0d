import type { ReactNode } from 'react'
import { Imagen, type Slot } from '../art/imagen'

type Props = { titulo: string; entrada?: string; imagen?: Slot; children?: ReactNode }

/** The top of a page: its h1, a sentence, and a drawing of its own that runs off the edge. */
export function Encabezado({ titulo, entrada, imagen, children }: Props) {
  return (
    <div className="cabecera">
      <div className="contenedor cabecera-texto">
        <h1 className="titulo-1">{titulo}</h1>
        {entrada ? <p className="entrada mt-5">{entrada}</p> : null}
        {children ? <div className="mt-7 flex flex-wrap gap-4">{children}</div> : null}
      </div>
      {imagen ? <Imagen slot={imagen} sizes="(min-width: 768px) 56vw, 100vw" priority className="cabecera-arte" /> : null}
    </div>
  )
}
