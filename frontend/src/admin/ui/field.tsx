import { useId, type ReactNode } from 'react'

/** What a field gives its input. */
export type InputProps = {
  id: string
  className: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

type Props = {
  label: string
  hint?: ReactNode
  error?: string | undefined
  /** The id of a message outside the field that tells what is wrong with it. */
  errorId?: string | undefined
  className?: string
  /** A button beside the input. */
  after?: ReactNode
  children: (input: InputProps) => ReactNode
}

/** A labelled field. The hint and the error are read with it. */
export function Field({ label, hint, error, errorId, className = '', after, children }: Props) {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : '', errorId ?? ''].filter(Boolean).join(' ')
  return (
    <div className={`p-campo ${className}`}>
      <label htmlFor={id}>{label}</label>
      <div className="flex gap-2">
        {children({
          id,
          className: 'p-entrada',
          'aria-invalid': error || errorId ? true : undefined,
          'aria-describedby': described || undefined,
        })}
        {after}
      </div>
      {hint ? (
        <p id={`${id}-hint`} className="p-ayuda">
          {hint}
        </p>
      ) : null}
      {error ? (
        <p id={`${id}-error`} className="p-error" role="alert">
          {error}
        </p>
      ) : null}
    </div>
  )
}
