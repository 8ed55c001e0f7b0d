type Props = {
  label: string
  value: string
  set: (value: string) => void
  type?: 'text' | 'email' | 'password' | 'tel' | 'url'
  hint?: string
  className?: string
  /** Whether the field has the focus when its dialog opens. */
  first?: boolean
  autoComplete?: string
  disabled?: boolean
  invalid?: boolean
}

/** A text field with its label. */
export function Input({ label, value, set, type = 'text', hint, autoComplete = 'off', invalid = false, first = false, ...rest }: Props) {
  return (
    <label className="field">
      <span>{label}</span>
      <input
        {...rest}
        data-first={first || undefined}
        type={type}
        value={value}
        autoComplete={autoComplete}
        aria-invalid={invalid}
        onChange={(event) => set(event.target.value)}
      />
      {hint && <span>{hint}</span>}
    </label>
  )
}
