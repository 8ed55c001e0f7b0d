import { Field } from '../../components/field'
import { es } from '../../i18n/es-admin'
import { useUnderstood } from './use-understood'

/** A price in pesos, typed with or without separators. */
export function PriceField({ value, errorId, className }: { value: string; errorId: string | undefined; className: string }) {
  const { input: node, note, follow } = useUnderstood('price', value)
  return (
    <Field
      label={es.events.price}
      hint={<span aria-live="polite">{note || es.events.priceHelp}</span>}
      errorId={errorId}
      className={className}
    >
      {(input) => <input {...input} ref={node} name="price" inputMode="decimal" autoComplete="off" defaultValue={value} onInput={follow} />}
    </Field>
  )
}
