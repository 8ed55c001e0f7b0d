import { SlotImage, type Slot } from './slot-image'

/** The ink of the layer behind a print. */
export type Ink = 'coral' | 'sol' | 'mar' | 'rosa' | 'hoja'

type Props = { slot: Slot; ink?: Ink; sizes?: string; className?: string; image?: string; priority?: boolean }

/** A picture as a print: an ink border and a colour layer out of register, as in the drawings. */
export function Plate({ slot, ink = 'coral', sizes, className = '', image = '', priority = false }: Props) {
  return (
    <div className={`lamina lamina-${ink} ${className}`}>
      <SlotImage slot={slot} {...(sizes ? { sizes } : {})} priority={priority} className={`lamina-imagen ${image}`} />
    </div>
  )
}
