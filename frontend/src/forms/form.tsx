import { createContext, type ReactNode, use, useEffect, useId, useMemo, useRef } from 'react'
import { Link } from 'react-router-dom'
import { buttonClasses } from '../components/button-classes'
import { NoScript } from '../components/no-script'
import { t } from '../i18n/es'
import { TRAP } from '../lib/robots'
import { useReturnedFocus } from '../lib/use-returned-focus'
import { useHydrated } from '../lib/use-hydrated'
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

/** A public form around its fields (F-810: it is sent by script alone). */
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
  /** A tall field for more than a line. */
  paragraph?: boolean
  initial?: string
  /** The form's only field: its error needs no summary, and gets the focus itself. */
  alone?: boolean
}

/** A field with its label always in sight and what is wrong with it below; its limits are the schema's. */
export function Field({ name, label, type = 'text', autoComplete, paragraph, initial, alone = false }: FieldProps) {
  const { id, state, definition } = useShared()
  const fault = state.phase === 'wrong' ? state.fault : null
  const error = fault?.fields[name]
  const rule = definition.fields[name]
  useEffect(() => {
    if (alone && fault) document.getElementById(`${id}-${name}`)?.focus()
  }, [alone, fault, id, name])
  const common = {
    required: rule?.required,
    maxLength: rule?.maxLength,
    id: `${id}-${name}`,
    name,
    autoComplete,
    defaultValue: initial,
    className: 'campo',
    'aria-invalid': error ? true : undefined,
    'aria-describedby': error ? `${id}-${name}-error` : undefined,
  }
  return (
    <div>
      <label htmlFor={common.id} className="mb-1 block font-semibold">
        {label}
      </label>
      {paragraph ? <textarea rows={5} {...common} /> : <input type={type} {...common} />}
      {error ? (
        <p id={`${id}-${name}-error`} role={alone ? 'alert' : undefined} className="campo-error">
          {error}
        </p>
      ) : null}
    </div>
  )
}

/** Shows the fault of a form above its fields, takes the focus and leads to each of them (GOV.UK's error summary). */
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

/** The submit button: never before the page is live (F-810), busy while sending (F-600). */
export function SubmitButton({ text, className = '' }: { text: string; className?: string }) {
  const { state } = useShared()
  const live = useHydrated()
  const sending = state.phase === 'sending'
  const node = useReturnedFocus(sending)
  return (
    <button ref={node} type="submit" disabled={!live || sending} className={`${buttonClasses('primario')} ${className}`}>
      {sending ? t.common.sending : text}
    </button>
  )
}

/** What became of the form that was sent: thanks or a failure, gone on the next try. */
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

/** A field that people neither see nor reach; only robots fill it (P-13). */
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

/** What becomes of the data, by each form (P-14). */
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
