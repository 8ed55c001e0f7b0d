import { useReturnedFocus } from '../../lib/use-returned-focus'

/** The button of a form: its label changes while it is busy, its width does not. */
export function Submit({
  busy,
  label,
  busyLabel,
  disabled = false,
  danger = false,
  className = '',
}: {
  busy: boolean
  label: string
  busyLabel: string
  disabled?: boolean
  /** Whether what it does cannot be undone. */
  danger?: boolean
  className?: string
}) {
  const button = useReturnedFocus(busy)
  return (
    <button
      ref={button}
      type="submit"
      className={`p-boton ${danger ? 'p-boton-peligro' : 'p-boton-principal'} ${className}`}
      disabled={busy || disabled}
      aria-busy={busy}
    >
      {busy ? busyLabel : label}
    </button>
  )
}
