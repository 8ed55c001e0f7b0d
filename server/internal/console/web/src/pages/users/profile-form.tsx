import { useMemo, useState } from 'react'
import * as v from 'valibot'
import { type Directory, updateUser, type User, type UserChange } from '../../api/users'
import { useText } from '../../i18n/text'
import { keptDraft } from '../../lib/drafts'
import { useAction } from '../../lib/use-action'
import { useKept } from '../../lib/use-kept'
import { useSession } from '../../session'
import { Input } from '../../ui/input'
import { Problem } from '../../ui/states'
import { useToast } from '../../ui/toasts'
import { userAddress } from './address'

const Values = v.object({
  email: v.string(),
  displayName: v.string(),
  phoneNumber: v.string(),
  photoUrl: v.string(),
  password: v.string(),
  emailVerified: v.boolean(),
  disabled: v.boolean(),
})
type Values = v.InferOutput<typeof Values>
type Edits = Partial<Values>

/** Reads the text of a kept draft. */
function readEdits(text: string | null): Edits {
  const kept = v.safeParse(v.pipe(v.string(), v.parseJson(), v.partial(Values)), text)
  return kept.success ? kept.output : {}
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
  const address = userAddress(directory, user.localId)
  // Only what the user has changed is kept, so that another client's changes of other values remain. A password is not kept.
  const [edits, setEdits] = useState<Edits>(() => readEdits(keptDraft(address)))
  const values = { ...valuesOf(user), ...edits }
  const { busy, error, run } = useAction()
  const toast = useToast()
  const bind = (name: 'email' | 'displayName' | 'phoneNumber' | 'photoUrl' | 'password') => ({
    value: values[name],
    disabled: !write,
    set: (value: string) => setEdits({ ...edits, [name]: value }),
  })
  const change = changeOf(valuesOf(user), values)
  const unsaved = Object.keys(change).length > 0
  const { password: _, ...kept } = edits
  const text = Object.keys(changeOf(valuesOf(user), { ...values, password: '' })).length > 0 ? JSON.stringify(kept) : null
  useKept(
    address,
    useMemo(() => (text === null ? null : () => text), [text]),
  )
  const save = async () => {
    await updateUser(directory, user.localId, change)
    setEdits({})
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
              onChange={(event) => setEdits({ ...edits, emailVerified: event.target.checked })}
            />
            {t.users.verified}
          </label>
          <label>
            <input
              type="checkbox"
              checked={values.disabled}
              disabled={!write}
              onChange={(event) => setEdits({ ...edits, disabled: event.target.checked })}
            />
            {t.users.disabled}
          </label>
        </div>
      </div>
      {error !== null && <Problem error={error} />}
      {write && (
        <div className="dialog-foot">
          {unsaved && (
            <button type="button" className="button" onClick={() => setEdits({})}>
              {t.data.discard}
            </button>
          )}
          <button type="submit" className="button primary" disabled={busy || !unsaved}>
            {t.common.save}
          </button>
        </div>
      )}
    </form>
  )
}
