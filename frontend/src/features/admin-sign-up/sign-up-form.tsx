import { type FormEvent, useEffect, useRef, useState } from 'react'
import { codeOf, messageOf } from '../../admin/auth-error'
import { textOf } from '../../admin/form-text'
import { Field } from '../../admin/ui/field'
import { Submit } from '../../admin/ui/submit'
import { register } from '../../firebase/back-office'
import { es } from '../../i18n/es-admin'
import { CodeStep } from './code-step'
import { StrengthMeter } from './strength-meter'

const MIN_PASSWORD = 6

type Name = 'firstName' | 'lastName' | 'email' | 'password'
type Problem = { text: string; field?: Name }

/** Makes an administrator's account: first the code, then who it is (F-302, F-304, F-507). */
export function SignUpForm({ onDone }: { onDone: () => void }) {
  const [ticket, setTicket] = useState<string>()
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const { access } = es
  const locked = ticket === undefined
  const firstName = useRef<HTMLInputElement>(null)
  // The address of an account that has been made already: a second try must only open its session.
  const made = useRef('')
  // The verifying button is of no more use: the next field takes its focus.
  useEffect(() => {
    if (!locked) firstName.current?.focus()
  }, [locked])

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (ticket === undefined) return
    const form = event.currentTarget
    const who = {
      firstName: textOf(form, 'firstName').trim(),
      lastName: textOf(form, 'lastName').trim(),
      email: textOf(form, 'email').trim(),
    }
    const wrong = check({ ...who, password })
    setProblem(wrong)
    if (wrong) {
      form.querySelector<HTMLInputElement>(`[name=${wrong.field}]`)?.focus()
      return
    }
    setBusy(true)
    try {
      if (made.current !== who.email) await register({ ticket, ...who, password })
      made.current = who.email
      const { enter } = await import('../../firebase/session')
      await enter(who.email, password)
      onDone()
    } catch (error) {
      if (codeOf(error) === 'invalid-ticket') setTicket(undefined)
      setProblem({ text: made.current === who.email ? access.accountCreated : messageOf(error) })
      setBusy(false)
    }
  }
  const errorOf = (name: Name) => (problem?.field === name ? 'cuenta-error' : undefined)
  return (
    <form method="post" noValidate className="grid gap-4" onSubmit={(event) => void submit(event)}>
      <h2 className="p-titulo text-[20px]">{access.createTitle}</h2>
      <CodeStep verified={!locked} onTicket={setTicket} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={access.name} errorId={errorOf('firstName')}>
          {(input) => (
            <input {...input} ref={firstName} name="firstName" required maxLength={120} autoComplete="given-name" disabled={locked} />
          )}
        </Field>
        <Field label={access.lastName} errorId={errorOf('lastName')}>
          {(input) => <input {...input} name="lastName" required maxLength={120} autoComplete="family-name" disabled={locked} />}
        </Field>
      </div>
      <Field label={access.email} errorId={errorOf('email')}>
        {(input) => (
          <input
            {...input}
            type="email"
            name="email"
            required
            maxLength={254}
            autoComplete="username"
            spellCheck={false}
            autoCapitalize="none"
            disabled={locked}
          />
        )}
      </Field>
      <Field label={access.password} errorId={errorOf('password')}>
        {(input) => (
          <input
            {...input}
            type="password"
            name="password"
            required
            minLength={MIN_PASSWORD}
            autoComplete="new-password"
            disabled={locked}
            onChange={({ target }) => setPassword(target.value)}
          />
        )}
      </Field>
      <StrengthMeter password={password} />
      {problem ? (
        <p id="cuenta-error" role="alert" className="p-error">
          {problem.text}
        </p>
      ) : null}
      <Submit busy={busy} disabled={locked} label={access.createButton} busyLabel={access.creating} />
    </form>
  )
}

/** What can be told before asking the server. */
function check(values: Record<Name, string>): Problem | undefined {
  const names = ['firstName', 'lastName', 'email', 'password'] as const
  const empty = names.find((name) => values[name] === '')
  if (empty) return { text: es.access.emptyFields, field: empty }
  if (!/^\S+@\S+$/.test(values.email)) return { text: es.errors['invalid-email'], field: 'email' }
  if (values.password.length < MIN_PASSWORD) return { text: es.errors['weak-password'], field: 'password' }
  return undefined
}
