import type { ReactNode } from 'react'
import { SlotImage } from '../art/slot-image'

/** The state of an empty list: a drawing and a text. */
export function Empty({ children }: { children: ReactNode }) {
  return (
    <div className="vacio">
      <SlotImage slot="vacio-eventos" decorative sizes="112px" className="vacio-imagen" />
      <p>{children}</p>
    </div>
  )
}
