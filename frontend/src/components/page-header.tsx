import type { ReactNode } from 'react'
import { SlotImage, type Slot } from '../art/slot-image'

type Props = { title: string; entry?: string; image?: Slot; children?: ReactNode }

/** The top of a page: its h1, a sentence, and its drawing, which extends to the page's edge. */
export function PageHeader({ title, entry, image, children }: Props) {
  return (
    <div className="cabecera">
      <div className="contenedor cabecera-texto">
        <h1 className="titulo-1">{title}</h1>
        {entry ? <p className="entrada mt-5">{entry}</p> : null}
        {children ? <div className="mt-7 flex flex-wrap gap-4">{children}</div> : null}
      </div>
      {image ? <SlotImage slot={image} sizes="(min-width: 768px) 56vw, 100vw" priority className="cabecera-arte" /> : null}
    </div>
  )
}
