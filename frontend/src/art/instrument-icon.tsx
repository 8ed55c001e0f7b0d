import { STROKES } from './instrument-strokes'

/** The instruments taught at the school. */
export type Instrument = keyof typeof STROKES

/** The drawing of an instrument on a tinted background. It is decorative: the text beside it names the instrument. */
export function InstrumentIcon({ name, className }: { name: Instrument; className?: string }) {
  return (
    <svg viewBox="0 0 200 200" width={96} height={96} className={className} aria-hidden="true" focusable="false">
      {STROKES[name]}
    </svg>
  )
}
