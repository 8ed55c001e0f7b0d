import { type Ref, useEffect, useRef, useState } from 'react'
import type * as v from 'valibot'
import { codeOf, messageOf } from '../../admin/auth-error'
import { EmailInput } from '../../admin/ui/email-input'
import { Field } from '../../components/field'
import { register } from '../../firebase/back-office'
import { es } from '../../i18n/es-admin'
import { AccessForm } from './access-form'
import { CodeStep } from './code-step'
import { LIMITS, signUpSchema } from './credentials'
import { StrengthMeter } from './strength-meter'

const { access } = es

/** Creates an administrator's account: first the code, then the person's data (F-302, F-304, F-507). */
export function SignUpForm({ onDone }: { onDone: () => void }) {
  const [ticket, setTicket] = useState<string>()
  const [password, setPassword] = useState('')
  const locked = ticket === undefined
  const firstName = useRef<HTMLInputElement>(null)
  // The address of an account that was created already. A second attempt must only open its session.
  const created = useRef('')
  // The verify button is no longer needed: the next field receives its focus.
  useEffect(() => {
    if (!locked) firstName.current?.focus()
  }, [locked])

  const send = async (person: v.InferOutput<typeof signUpSchema>) => {
    if (ticket === undefined) return
    try {
      if (created.current !== person.email) await register({ ticket, ...person })
      created.current = person.email
      const { enter } = await import('../../firebase/session')
      await enter(person.email, person.password)
    } catch (error) {
      if (codeOf(error) === 'invalid-ticket') setTicket(undefined)
      throw created.current === person.email ? new Created() : error
    }
    onDone()
  }
  return (
    <AccessForm
      title={access.createTitle}
      read={(text) => ({ firstName: text('firstName'), lastName: text('lastName'), email: text('email'), password: text('password') })}
      schema={signUpSchema}
      label={access.createButton}
      busyLabel={access.creating}
      disabled={locked}
      onSend={send}
      messageFor={(error) => (error instanceof Created ? access.accountCreated : messageOf(error))}
    >
      {(errorOf) => (
        <>
          <CodeStep verified={!locked} onTicket={setTicket} />
          <div className="grid gap-4 sm:grid-cols-2">
            <NameInput
              name="firstName"
              label={access.name}
              autoComplete="given-name"
              locked={locked}
              errorId={errorOf('firstName')}
              ref={firstName}
            />
            <NameInput name="lastName" label={access.lastName} autoComplete="family-name" locked={locked} errorId={errorOf('lastName')} />
          </div>
          <EmailInput autoComplete="username" maxLength={LIMITS.email} disabled={locked} errorId={errorOf('email')} />
          <Field label={access.password} errorId={errorOf('password')}>
            {(input) => (
              <input
                {...input}
                type="password"
                name="password"
                required
                minLength={LIMITS.password}
                autoComplete="new-password"
                disabled={locked}
                onChange={({ target }) => setPassword(target.value)}
              />
            )}
          </Field>
          <StrengthMeter password={password} />
        </>
      )}
    </AccessForm>
  )
}

/** The account exists, but its session could not be opened. */
class Created extends Error {}

type NameProps = {
  name: 'firstName' | 'lastName'
  label: string
  autoComplete: string
  locked: boolean
  errorId: string | undefined
  ref?: Ref<HTMLInputElement>
}

/** A part of the administrator's name. */
function NameInput({ label, locked, errorId, ...input }: NameProps) {
  return (
    <Field label={label} errorId={errorId}>
      {(control) => <input {...control} {...input} required maxLength={LIMITS.name} disabled={locked} />}
    </Field>
  )
}
