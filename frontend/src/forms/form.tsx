import { createContext, type ReactNode, use, useEffect, useId, useMemo, useRef } from 'react'
import { Link } from '../components/link'
import { Field } from '../components/field'
import { NoScript } from '../components/no-script'
import { SubmitButton } from '../components/submit-button'
import { t } from '../i18n/es'
import { TRAP } from '../lib/robots'
import type { Fault } from './check'
import type { FormDefinition } from './schemas'
import { type FormState, useForm } from './use-form'

type Shared = { id: string; state: FormState; definition: FormDefinition }

const FormContext = createContext<Shared | null>(null)

function useShared(): Shared {
  const shared = use(FormContext)
  if (!shared) throw new Error('a field stands outside a Form')
  return shared
}

/** A public form with its fields (F-810: only scripts can send it). */
export function Form({ definition, className = '', children }: { definition: FormDefinition; className?: string; children: ReactNode }) {
  const { state, props } = useForm(definition)
  const id = useId()
  const shared = useMemo(() => ({ id, state, definition }), [id, state, definition])
  return (
    <FormContext value={shared}>
      <form {...props} className={className}>
        <NoScript text={t.noScript.form} />
        {children}
        <Trap />
      </form>
    </FormContext>
  )
}

type FieldProps = {
  name: string
  label: string
  type?: 'text' | 'email' | 'tel'
  autoComplete?: string
  /** A field with several lines. */
  paragraph?: boolean
  initial?: string
  /** The form's only field. Its error needs no summary, and the field receives the focus. */
  alone?: boolean
}

/** A field with its label and, below it, its error. Its limits are those of the schema. */
export function FormField({ name, label, type = 'text', autoComplete, paragraph, initial, alone = false }: FieldProps) {
  const { id, state, definition } = useShared()
  const fault = state.phase === 'wrong' ? state.fault : null
  const error = fault?.fields[name]
  const rule = definition.fields[name]
  useEffect(() => {
    if (alone && fault) document.getElementById(`${id}-${name}`)?.focus()
  }, [alone, fault, id, name])
  const own = { required: rule?.required, maxLength: rule?.maxLength, name, autoComplete, defaultValue: initial }
  return (
    <Field id={`${id}-${name}`} label={label} error={error} silent={!alone}>
      {(control) => (paragraph ? <textarea rows={5} {...control} {...own} /> : <input type={type} {...control} {...own} />)}
    </Field>
  )
}

/** Shows the errors of a form above its fields as links to them, and takes the focus (GOV.UK's error summary). */
export function ErrorSummary({ labels }: { labels: Record<string, string> }) {
  const { id, state } = useShared()
  return state.phase === 'wrong' ? <Summary fault={state.fault} labels={labels} id={id} /> : null
}

function Summary({ fault, labels, id }: { fault: Fault; labels: Record<string, string>; id: string }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.focus({ preventScroll: true })
    box.current?.scrollIntoView({ block: 'nearest' })
  }, [fault])
  const wrong = Object.keys(labels).filter((name) => fault.fields[name])
  return (
    <div ref={box} role="group" tabIndex={-1} aria-labelledby={`${id}-fault`} className="aviso aviso-error resumen">
      <p id={`${id}-fault`} role="alert">
        {fault.message}
      </p>
      <ul className="mt-1">
        {wrong.map((name) => (
          <li key={name}>
            <a
              href={`#${id}-${name}`}
              onClick={(event) => {
                event.preventDefault()
                const field = document.getElementById(`${id}-${name}`)
                field?.focus({ preventScroll: true })
                field?.scrollIntoView({ block: 'center' })
              }}
            >
              {labels[name]}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The button that sends the form. */
export function SendButton({ text, className = '' }: { text: string; className?: string }) {
  const { state } = useShared()
  return <SubmitButton busy={state.phase === 'sending'} label={text} busyLabel={t.common.sending} className={className} />
}

/** The result of sending the form: thanks or a failure. It is removed on the next attempt. */
export function Outcome({ children }: { children: ReactNode }) {
  const { state } = useShared()
  if (state.phase === 'failed') {
    return (
      <p role="alert" className="aviso aviso-error">
        {state.message}
      </p>
    )
  }
  if (state.phase !== 'sent') return null
  return (
    <div role="status" className="aviso aviso-exito">
      {children}
    </div>
  )
}

/** A field that people neither see nor reach. Only robots fill it in (P-13). */
function Trap() {
  return (
    <div className="sr-only" aria-hidden="true">
      <label>
        {t.common.doNotFill}
        <input type="text" name={TRAP} tabIndex={-1} autoComplete="off" />
      </label>
    </div>
  )
}

/** How the data of each form are used (P-14). */
export function DataNote({ text }: { text: string }) {
  return (
    <p className="text-suave text-sm">
      {text}{' '}
      <Link to="/privacidad" className="enlace">
        {t.foot.privacidad}
      </Link>
    </p>
  )
}
