import type { ReactNode } from 'react'
import { Imagen } from '../art/imagen'

/** What stands where nothing is to be shown: a drawing and the words that say so. */
export function Vacio({ children }: { children: ReactNode }) {
  return (
    <div className="vacio">
      <Imagen slot="vacio-eventos" decorativa sizes="112px" className="vacio-imagen" />
      <p>{children}</p>
    </div>
  )
}
