import { useState, type FormEvent } from 'react'
import { messageOf } from '../../admin/auth-error'
import { Field } from '../../admin/ui/field'
import { PasswordInput } from '../../admin/ui/password-input'
import { Submit } from '../../admin/ui/submit'
import { es } from '../../i18n/es-admin'
import { textOf } from '../../admin/form-text'

const MIN_PASSWORD = 6

type Problem = { text: string; field: 'email' | 'password' | 'none' }

/** Sign-in with e-mail and password (F-301, F-309, D-22). */
export function SignInForm({ onDone }: { onDone: () => void }) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const email = textOf(form, 'email').trim()
    const password = textOf(form, 'password')
    const wrong = check(email, password)
    setProblem(wrong)
    if (wrong) {
      form.querySelector<HTMLInputElement>(`[name=${wrong.field}]`)?.focus()
      return
    }
    setBusy(true)
    try {
      const { enter } = await import('../../firebase/session')
      await enter(email, password)
      onDone()
    } catch (error) {
      setProblem({ text: messageOf(error), field: 'none' })
      setBusy(false)
    }
  }
  return (
    <form method="post" noValidate className="grid gap-4" onSubmit={(event) => void submit(event)}>
      <h2 className="p-titulo text-[20px]">{es.access.enterTitle}</h2>
      <Field label={es.access.email} errorId={problem?.field === 'email' ? 'acceso-error' : undefined}>
        {(input) => (
          <input {...input} type="email" name="email" required autoComplete="username" spellCheck={false} autoCapitalize="none" />
        )}
      </Field>
      <PasswordInput
        label={es.access.password}
        name="password"
        autoComplete="current-password"
        minLength={MIN_PASSWORD}
        errorId={problem?.field === 'password' ? 'acceso-error' : undefined}
      />
      {problem ? (
        <p id="acceso-error" role="alert" className="p-error">
          {problem.text}
        </p>
      ) : null}
      <Submit busy={busy} label={es.access.enterButton} busyLabel={es.access.entering} />
    </form>
  )
}

/** What can be told before asking the server. */
function check(email: string, password: string): Problem | undefined {
  if (!/^\S+@\S+$/.test(email)) return { text: es.errors['invalid-email'], field: 'email' }
  if (password.length < MIN_PASSWORD) return { text: es.errors['weak-password'], field: 'password' }
  return undefined
}
