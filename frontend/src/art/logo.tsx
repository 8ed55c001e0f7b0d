import { MARK_STROKE } from './mark-stroke'

/** The outlines of the words, in a separate file and therefore not part of a script. */
const WORDS = '/ilustraciones/logo-texto.svg#texto'

/**
 * The foundation's logo: the mark alone, or with its name in the current text colour.
 * It is decorative: the link or heading around it contains the name.
 */
export function Logo({ variant, className }: { variant: 'marca' | 'completo'; className?: string }) {
  const whole = variant === 'completo'
  return (
    <svg viewBox={whole ? '0 0 332 98' : '0 0 98 98'} height={48} width={whole ? 163 : 48} className={className} aria-hidden="true" focusable="false">
      {MARK_STROKE}
      {whole ? <use href={WORDS} width={332} height={98} fill="currentColor" /> : null}
    </svg>
  )
}
