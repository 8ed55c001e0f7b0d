import { Imagen, type Slot } from './imagen'

/** The ink of the layer that shows behind a print. */
export type Tinta = 'coral' | 'sol' | 'mar' | 'rosa' | 'hoja'

type Props = { slot: Slot; tinta?: Tinta; sizes?: string; className?: string; imagen?: string; priority?: boolean }

/** A picture as a print on the wall: an ink border and a colour layer out of register, like the drawings themselves. */
export function Lamina({ slot, tinta = 'coral', sizes, className = '', imagen = '', priority = false }: Props) {
  return (
    <div className={`lamina lamina-${tinta} ${className}`}>
      <Imagen slot={slot} {...(sizes ? { sizes } : {})} priority={priority} className={`lamina-imagen ${imagen}`} />
    </div>
  )
}
