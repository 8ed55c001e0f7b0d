import type { Ref } from 'react'
import { Field } from '../../components/field'
import { es } from '../../i18n/es-admin'

type Props = {
  autoComplete: 'username' | 'off'
  maxLength?: number
  disabled?: boolean
  defaultValue?: string
  ref?: Ref<HTMLInputElement>
  error?: string | undefined
  errorId?: string | undefined
}

/** The e-mail address of an account or a person. */
export function EmailInput({ error, errorId, ...input }: Props) {
  return (
    <Field label={es.access.email} error={error} errorId={errorId}>
      {(control) => <input {...control} {...input} type="email" name="email" required spellCheck={false} autoCapitalize="none" />}
    </Field>
  )
}
