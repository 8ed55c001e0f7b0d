import { useEffect, useRef, useState } from 'react'
import { codeOf } from '../../admin/auth-error'
import { EmailInput } from '../../admin/ui/email-input'
import { es } from '../../i18n/es-admin'
import { AccessForm } from './access-form'
import { recoverSchema } from './credentials'

const { access } = es

/**
 * Requests the link to a new password. Its answer is the same whether the address has an account or not (F-808). email is what was typed
 * before.
 */
export function RecoverForm({ email, onBack }: { email: string; onBack: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  const [sentTo, setSentTo] = useState<string>()
  // The button that opened the form is gone.
  useEffect(() => field.current?.focus(), [])
  return (
    <div className="grid gap-4">
      <AccessForm
        title={access.recoverTitle}
        read={(text) => ({ email: text('email') })}
        schema={recoverSchema}
        label={access.recoverButton}
        busyLabel={access.recovering}
        onSend={async ({ email: address }) => {
          setSentTo(undefined)
          const { requestReset } = await import('../../firebase/session')
          await requestReset(address).catch((error: unknown) => {
            // Servers without protection from e-mail enumeration, such as the official emulator, name unknown addresses.
            if (codeOf(error) !== 'user-not-found') throw error
          })
          setSentTo(address)
        }}
      >
        {(errorOf) => (
          <>
            <p className="ayuda">{access.recoverHelp}</p>
            <EmailInput autoComplete="username" defaultValue={email} errorId={errorOf('email')} ref={field} />
          </>
        )}
      </AccessForm>
      <p role="status" className={sentTo === undefined ? 'sr-only' : 'panel-exito'}>
        {sentTo === undefined ? '' : access.recoverSent(sentTo)}
      </p>
      <button type="button" className="panel-enlace min-h-11 justify-self-start" onClick={onBack}>
        {access.recoverBack}
      </button>
    </div>
  )
}
