import { useState } from 'react'
import { createUser, type Directory, type NewUser } from '../../api/users'
import { useText } from '../../i18n/text'
import { useAction } from '../../lib/use-action'
import { Dialog } from '../../ui/dialog'
import { Problem } from '../../ui/states'
import { Input } from '../../ui/input'

const EMPTY = { email: '', password: '', displayName: '', phoneNumber: '', localId: '' }

export function NewUserDialog({ directory, close, done }: { directory: Directory; close: () => void; done: () => void }) {
  const { t } = useText()
  const [values, setValues] = useState(EMPTY)
  const { busy, error, run } = useAction()
  const bind = (name: keyof typeof EMPTY) => ({ value: values[name], set: (value: string) => setValues({ ...values, [name]: value }) })
  const submit = () =>
    void run(async () => {
      const user: NewUser = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
      await createUser(directory, user)
      close()
      done()
    })
  return (
    <Dialog title={t.users.newUser} close={close} submit={submit}>
      <Input label={t.users.email} type="email" first {...bind('email')} />
      <Input label={t.users.password} type="password" autoComplete="new-password" {...bind('password')} />
      <Input label={t.users.displayName} {...bind('displayName')} />
      <Input label={t.users.phone} type="tel" {...bind('phoneNumber')} />
      <Input label={t.users.id} hint={t.data.idHint} className="mono" {...bind('localId')} />
      {error !== null && <Problem error={error} />}
      <div className="dialog-foot">
        <button type="button" className="button" onClick={close}>
          {t.common.cancel}
        </button>
        <button type="submit" className="button primary" disabled={busy}>
          {t.common.save}
        </button>
      </div>
    </Dialog>
  )
}
