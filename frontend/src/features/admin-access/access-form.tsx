import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type * as v from 'valibot'
import { messageOf } from '../../admin/auth-error'
import { checkForm } from '../../admin/form-check'
import { textOf } from '../../admin/form-text'
import { SubmitButton } from '../../components/submit-button'

type Props<Name extends string, Values> = {
  title: string
  /** Reads the fields, each by its name. */
  read: (textOf: (name: Name) => string) => Record<Name, string>
  schema: v.GenericSchema<Record<Name, string>, Values>
  /** Sends the values. A rejection is shown, and the form can be sent again. */
  onSend: (values: Values) => Promise<void>
  messageFor?: (error: unknown) => string
  label: string
  busyLabel: string
  disabled?: boolean
  /** The fields, each with the id of the message about it, if any. */
  children: (errorOf: (name: Name) => string | undefined) => ReactNode
}

/** A form of /LogIn. It is checked against its schema, sent once, and shows one message for all errors. */
export function AccessForm<Name extends string, Values>({
  title,
  read,
  schema,
  onSend,
  messageFor = messageOf,
  ...props
}: Props<Name, Values>) {
  const id = useId()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<{ message: string; field?: Name }>()
  const { label, busyLabel, disabled = false, children } = props

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (disabled) return
    const form = event.currentTarget
    const checked = checkForm(
      schema,
      read((name) => textOf(form, name)),
    )
    if (!checked.ok) {
      setProblem(checked)
      form.querySelector<HTMLInputElement>(`[name=${checked.field}]`)?.focus()
      return
    }
    setProblem(undefined)
    setBusy(true)
    try {
      await onSend(checked.values)
    } catch (error) {
      setProblem({ message: messageFor(error) })
    } finally {
      setBusy(false)
    }
  }
  return (
    <form method="post" noValidate className="grid gap-4" onSubmit={(event) => void submit(event)}>
      <h2 className="panel-titulo text-[20px]">{title}</h2>
      {children((name) => (problem?.field === name ? id : undefined))}
      {problem ? (
        <p id={id} role="alert" className="panel-error">
          {problem.message}
        </p>
      ) : null}
      <SubmitButton busy={busy} disabled={disabled} label={label} busyLabel={busyLabel} />
    </form>
  )
}
