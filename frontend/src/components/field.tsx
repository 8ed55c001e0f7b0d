import { type ReactNode, useId } from 'react'

/** The properties that a field passes to its control. */
export type ControlProps = {
  id: string
  className: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

type Props = {
  label: string
  /** The control's id, for elements that refer to it. */
  id?: string | undefined
  hint?: ReactNode
  error?: string | undefined
  /** The error is announced when it appears, unless a summary of the form announces it. */
  silent?: boolean
  /** The id of an error message outside the field. */
  errorId?: string | undefined
  className?: string
  /** A button beside the control. */
  after?: ReactNode
  children: (control: ControlProps) => ReactNode
}

/** A labelled field of the site or the panel. Screen readers read the hint and the error with its control. */
export function Field({ label, id: given, hint, error, silent = false, errorId, className = '', after, children }: Props) {
  const own = useId()
  const id = given ?? own
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : '', errorId ?? ''].filter(Boolean).join(' ')
  return (
    <div className={`campo ${className}`}>
      <label htmlFor={id}>{label}</label>
      <div className="flex gap-2">
        {children({
          id,
          className: 'casilla',
          'aria-invalid': error || errorId ? true : undefined,
          'aria-describedby': described || undefined,
        })}
        {after}
      </div>
      {hint ? (
        <p id={`${id}-hint`} className="ayuda">
          {hint}
        </p>
      ) : null}
      {error ? (
        <p id={`${id}-error`} role={silent ? undefined : 'alert'} className="campo-error">
          {error}
        </p>
      ) : null}
    </div>
  )
}
