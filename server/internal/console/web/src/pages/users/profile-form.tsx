import { useState } from 'react'
import { type Directory, updateUser, type User, type UserChange } from '../../api/users'
import { useText } from '../../i18n/text'
import { useAction } from '../../lib/use-action'
import { useSession } from '../../session'
import { Input } from '../../ui/input'
import { Problem } from '../../ui/states'
import { useToast } from '../../ui/toasts'

type Values = {
  email: string
  displayName: string
  phoneNumber: string
  photoUrl: string
  password: string
  emailVerified: boolean
  disabled: boolean
}

const valuesOf = (user: User): Values => ({
  email: user.email,
  displayName: user.displayName,
  phoneNumber: user.phoneNumber,
  photoUrl: user.photoUrl,
  password: '',
  emailVerified: user.emailVerified,
  disabled: user.disabled,
})

/** The difference between two states of an account, as a change request. */
function changeOf(before: Values, after: Values): UserChange {
  const change: UserChange = {}
  if (after.email !== before.email) change.email = after.email
  if (after.password) change.password = after.password
  if (after.emailVerified !== before.emailVerified) change.emailVerified = after.emailVerified
  if (after.disabled !== before.disabled) change.disableUser = after.disabled
  const gone: UserChange['deleteAttribute'] = []
  if (after.displayName !== before.displayName) {
    if (after.displayName) change.displayName = after.displayName
    else gone.push('DISPLAY_NAME')
  }
  if (after.photoUrl !== before.photoUrl) {
    if (after.photoUrl) change.photoUrl = after.photoUrl
    else gone.push('PHOTO_URL')
  }
  if (after.phoneNumber !== before.phoneNumber) {
    if (after.phoneNumber) change.phoneNumber = after.phoneNumber
    else change.deleteProvider = ['phone']
  }
  if (gone.length > 0) change.deleteAttribute = gone
  return change
}

export function ProfileForm({ directory, user, changed }: { directory: Directory; user: User; changed: () => void }) {
  const { t } = useText()
  const { write } = useSession()
  const [values, setValues] = useState(() => valuesOf(user))
  const { busy, error, run } = useAction()
  const toast = useToast()
  const bind = (name: 'email' | 'displayName' | 'phoneNumber' | 'photoUrl' | 'password') => ({
    value: values[name],
    disabled: !write,
    set: (value: string) => setValues({ ...values, [name]: value }),
  })
  const change = changeOf(valuesOf(user), values)
  const save = async () => {
    await updateUser(directory, user.localId, change)
    toast(t.users.saved)
    changed()
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void run(save)
      }}
    >
      <div className="two">
        <Input label={t.users.email} type="email" {...bind('email')} />
        <Input label={t.users.displayName} {...bind('displayName')} />
        <Input label={t.users.phone} type="tel" {...bind('phoneNumber')} />
        <Input label={t.users.photo} type="url" {...bind('photoUrl')} />
        <Input label={t.users.newPassword} type="password" autoComplete="new-password" {...bind('password')} />
        <div className="checks">
          <label>
            <input
              type="checkbox"
              checked={values.emailVerified}
              disabled={!write}
              onChange={(event) => setValues({ ...values, emailVerified: event.target.checked })}
            />
            {t.users.verified}
          </label>
          <label>
            <input
              type="checkbox"
              checked={values.disabled}
              disabled={!write}
              onChange={(event) => setValues({ ...values, disabled: event.target.checked })}
            />
            {t.users.disabled}
          </label>
        </div>
      </div>
      {error !== null && <Problem error={error} />}
      {write && (
        <div className="dialog-foot">
          <button type="submit" className="button primary" disabled={busy || Object.keys(change).length === 0}>
            {t.common.save}
          </button>
        </div>
      )}
    </form>
  )
}
