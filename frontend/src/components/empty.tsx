import type { ReactNode } from 'react'
import { SlotImage } from '../art/slot-image'

/** What stands where nothing is to be shown: a drawing and the words that say so. */
export function Empty({ children }: { children: ReactNode }) {
  return (
    <div className="vacio">
      <SlotImage slot="vacio-eventos" decorative sizes="112px" className="vacio-imagen" />
      <p>{children}</p>
    </div>
  )
}
