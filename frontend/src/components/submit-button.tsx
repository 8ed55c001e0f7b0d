import { useHydrated } from '../lib/use-hydrated'
import { useReturnedFocus } from '../lib/use-returned-focus'

type Props = {
  busy: boolean
  label: string
  busyLabel: string
  disabled?: boolean
  /** Whether its action cannot be undone. */
  danger?: boolean
  className?: string
}

/** The submit button of a form: disabled before the page is hydrated (F-810) and while it is busy, which its label shows (F-600). */
export function SubmitButton({ busy, label, busyLabel, disabled = false, danger = false, className = '' }: Props) {
  const live = useHydrated()
  const button = useReturnedFocus(busy)
  return (
    <button
      ref={button}
      type="submit"
      className={`boton ${danger ? 'boton-peligro' : 'boton-primario'} ${className}`}
      disabled={!live || busy || disabled}
      aria-busy={busy}
    >
      {busy ? busyLabel : label}
    </button>
  )
}
