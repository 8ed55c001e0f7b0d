import { SlotImage, type Slot } from './slot-image'

/** The ink of the layer that shows behind a print. */
export type Ink = 'coral' | 'sol' | 'mar' | 'rosa' | 'hoja'

type Props = { slot: Slot; ink?: Ink; sizes?: string; className?: string; image?: string; priority?: boolean }

/** A picture as a print on the wall: an ink border and a colour layer out of register, like the drawings themselves. */
export function Plate({ slot, ink = 'coral', sizes, className = '', image = '', priority = false }: Props) {
  return (
    <div className={`lamina lamina-${ink} ${className}`}>
      <SlotImage slot={slot} {...(sizes ? { sizes } : {})} priority={priority} className={`lamina-imagen ${image}`} />
    </div>
  )
}
