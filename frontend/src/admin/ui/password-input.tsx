import { useState, type InputHTMLAttributes } from 'react'
import { es } from '../../i18n/es-admin'
import { Field } from '../../components/field'

type Props = { label: string; errorId?: string | undefined } & Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'name' | 'autoComplete' | 'value' | 'onChange' | 'onKeyDown' | 'minLength'
>

/**
 * A password field that can show its text. The button's name does not contain the field's name, so that queries by
 * label find only the field.
 */
export function PasswordInput({ label, errorId, ...input }: Props) {
  const [shown, setShown] = useState(false)
  const button = (
    <button type="button" className="boton" aria-pressed={shown} onClick={() => setShown(!shown)}>
      {shown ? es.access.hide : es.access.show}
    </button>
  )
  return (
    <Field label={label} errorId={errorId} after={button}>
      {(field) => <input {...field} {...input} type={shown ? 'text' : 'password'} required spellCheck={false} autoCapitalize="none" />}
    </Field>
  )
}
