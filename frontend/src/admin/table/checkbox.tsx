import { useEffect, useRef } from 'react'

type Props = {
  label: string
  checked: boolean
  /** Whether some, but not all, of its rows are checked. */
  mixed?: boolean
  disabled?: boolean
  onToggle: (event: unknown) => void
}

/** A checkbox without a visible label, with an optional indeterminate state. */
export function Checkbox({ label, checked, mixed = false, disabled = false, onToggle }: Props) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current) box.current.indeterminate = mixed && !checked
  }, [mixed, checked])
  return (
    <label className="panel-marca">
      <input ref={box} type="checkbox" aria-label={label} checked={checked} disabled={disabled} onChange={onToggle} />
    </label>
  )
}
