import { TRAZOS } from './trazos-instrumentos'

/** The instruments taught at the school. */
export type Instrumento = keyof typeof TRAZOS

/** The drawing of an instrument on its own tinted ground; decorative, the text beside it names it. */
export function IconoInstrumento({ nombre, className }: { nombre: Instrumento; className?: string }) {
  return (
    <svg viewBox="0 0 200 200" width={96} height={96} className={className} aria-hidden="true" focusable="false">
      {TRAZOS[nombre]}
    </svg>
  )
}
