import { useReturnedFocus } from '../../lib/use-returned-focus'

/** The button of a form: its label changes while it is busy, its width does not. */
export function Submit({
  busy,
  label,
  busyLabel,
  disabled = false,
  className = '',
}: {
  busy: boolean
  label: string
  busyLabel: string
  disabled?: boolean
  className?: string
}) {
  const button = useReturnedFocus(busy)
  return (
    <button ref={button} type="submit" className={`p-boton p-boton-principal ${className}`} disabled={busy || disabled} aria-busy={busy}>
      {busy ? busyLabel : label}
    </button>
  )
}
