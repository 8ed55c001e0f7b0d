import { useState, type KeyboardEvent } from 'react'
import { messageOf } from '../../admin/auth-error'
import { PasswordInput } from '../../admin/ui/password-input'
import { checkCode } from '../../firebase/back-office'
import { es } from '../../i18n/es-admin'
import { useReturnedFocus } from '../../lib/use-returned-focus'

type Props = { verified: boolean; onTicket: (ticket: string | undefined) => void }

/** The secret code. The server compares it and returns a ticket (D-20, F-304). Changing the code locks the form again. */
export function CodeStep({ verified, onTicket }: Props) {
  const [code, setCode] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const button = useReturnedFocus(busy)
  const { access } = es

  const verify = async () => {
    if (busy || verified) return
    setError(undefined)
    setBusy(true)
    try {
      onTicket(await checkCode(code.trim()))
    } catch (cause) {
      setError(messageOf(cause))
    } finally {
      setBusy(false)
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    void verify()
  }
  const change = (text: string) => {
    setCode(text)
    setError(undefined)
    if (verified) onTicket(undefined)
  }
  return (
    <div className="grid gap-2">
      <PasswordInput
        label={access.secretCode}
        name="code"
        autoComplete="off"
        errorId={error ? 'codigo-estado' : undefined}
        value={code}
        onChange={({ target }) => change(target.value)}
        onKeyDown={onKeyDown}
      />
      <button
        ref={button}
        type="button"
        className="boton justify-self-start"
        disabled={busy || verified}
        aria-busy={busy}
        onClick={() => void verify()}
      >
        {busy ? access.verifying : access.verify}
      </button>
      <CodeState verified={verified} error={error} />
    </div>
  )
}

function CodeState({ verified, error }: { verified: boolean; error: string | undefined }) {
  if (error) {
    return (
      <p id="codigo-estado" role="alert" className="panel-error">
        {error}
      </p>
    )
  }
  return (
    <p role="status" className={verified ? 'panel-exito' : 'ayuda'}>
      {verified ? es.access.codeVerified : es.access.codeRequired}
    </p>
  )
}
