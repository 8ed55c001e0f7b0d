import { textOf } from '../../admin/form-text'
import { EmailInput } from '../../admin/ui/email-input'
import { PasswordInput } from '../../admin/ui/password-input'
import { es } from '../../i18n/es-admin'
import { AccessForm } from './access-form'
import { LIMITS, signInSchema } from './credentials'

const { access } = es

/** Sign-in with e-mail and password (F-301, F-309, D-22). */
export function SignInForm({ onDone, onForgotten }: { onDone: () => void; onForgotten: (email: string) => void }) {
  return (
    <AccessForm
      title={access.enterTitle}
      read={(text) => ({ email: text('email'), password: text('password') })}
      schema={signInSchema}
      label={access.enterButton}
      busyLabel={access.entering}
      onSend={async ({ email, password }) => {
        const { enter } = await import('../../firebase/session')
        await enter(email, password)
        onDone()
      }}
    >
      {(errorOf) => (
        <>
          <EmailInput autoComplete="username" errorId={errorOf('email')} />
          <PasswordInput
            label={access.password}
            name="password"
            autoComplete="current-password"
            minLength={LIMITS.password}
            errorId={errorOf('password')}
          />
          <button
            type="button"
            className="panel-enlace min-h-11 justify-self-start"
            onClick={({ currentTarget: { form } }) => onForgotten(form ? textOf(form, 'email') : '')}
          >
            {access.forgotten}
          </button>
        </>
      )}
    </AccessForm>
  )
}
