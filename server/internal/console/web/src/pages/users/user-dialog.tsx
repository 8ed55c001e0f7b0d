import { Suspense, useState } from 'react'
import { deleteUsers, type Directory, getUser, signInAs, siteLink, updateUser, type User } from '../../api/users'
import { useText } from '../../i18n/text'
import { renewable } from '../../lib/renewable'
import { useAction } from '../../lib/use-action'
import { useLoad } from '../../lib/use-load'
import { useSession } from '../../session'
import { CopyButton } from '../../ui/copy-button'
import { Dialog } from '../../ui/dialog'
import { Empty, Loaded, Problem, Skeleton } from '../../ui/states'
import { Tabs } from '../../ui/tabs'
import { useToast } from '../../ui/toasts'
import { ProfileForm } from './profile-form'

const ClaimsForm = renewable(() => import('./claims-form'))

type Props = { directory: Directory; localId: string; first: string | null; close: () => void; changed: () => void }
type Tab = 'profile' | 'claims' | 'sign-in'

/** One user: the account, its claims, and its sign-in methods. first names the tab to begin with. */
export function UserDialog({ directory, localId, first, close, changed }: Props) {
  const { t } = useText()
  const [tab, setTab] = useState<Tab>(first === 'claims' ? 'claims' : 'profile')
  const { state, reload } = useLoad(localId, (signal) => getUser(directory, localId, signal))
  const after = () => {
    reload()
    changed()
  }
  const user = state.status === 'ready' ? state.data : null
  const title = user?.displayName || user?.email || user?.phoneNumber || t.users.user
  const tabs = [
    { id: 'profile', label: t.users.profile },
    { id: 'claims', label: t.users.claims },
    { id: 'sign-in', label: t.users.signIn },
  ] as const
  return (
    <Dialog title={title} close={close} wide>
      <p className="row">
        <span className="mono soft wrap">{localId}</span>
        <CopyButton text={localId} />
      </p>
      <Tabs label={t.users.user} tabs={tabs} chosen={tab} choose={setTab} />
      <Loaded state={state} reload={reload}>
        {(user) => {
          if (!user) return <Empty>{t.users.notFound(localId)}</Empty>
          const props = { directory, user, changed: after }
          return (
            <>
              {tab === 'profile' && <ProfileForm {...props} />}
              {tab === 'claims' && (
                <Suspense fallback={<Skeleton />}>
                  <ClaimsForm {...props} />
                </Suspense>
              )}
              {tab === 'sign-in' && <SignIn {...props} />}
              <Actions {...props} close={close} />
            </>
          )
        }}
      </Loaded>
    </Dialog>
  )
}

type PartProps = { directory: Directory; user: User; changed: () => void }

/** The providers and second factors of a user, which can be removed. */
function SignIn({ directory, user, changed }: PartProps) {
  const { t, time } = useText()
  const { write } = useSession()
  const { busy, error, run } = useAction()
  const change = (what: Parameters<typeof updateUser>[2]) =>
    void run(async () => {
      await updateUser(directory, user.localId, what)
      changed()
    })
  const without = (id: string) => ({ mfa: { enrollments: user.mfaInfo.filter((factor) => factor.mfaEnrollmentId !== id) } })
  return (
    <div className="stack">
      <h3>{t.users.providers}</h3>
      <ul className="list">
        {user.providerUserInfo.map((provider) => (
          <li key={provider.providerId}>
            <strong>{provider.providerId}</strong>
            <span className="wrap">{provider.email || provider.phoneNumber || provider.rawId}</span>
            {write && (
              <button
                type="button"
                className="button push"
                disabled={busy}
                onClick={() => change({ deleteProvider: [provider.providerId] })}
              >
                {t.users.unlink}
              </button>
            )}
          </li>
        ))}
        {user.providerUserInfo.length === 0 && <li className="soft">{t.common.none}</li>}
      </ul>
      <h3>{t.users.factors}</h3>
      <ul className="list">
        {user.mfaInfo.map((factor) => (
          <li key={factor.mfaEnrollmentId}>
            <strong>{factor.phoneInfo || 'TOTP'}</strong>
            <span>{factor.displayName}</span>
            <span className="soft">{time(factor.enrolledAt)}</span>
            {write && (
              <button type="button" className="button push" disabled={busy} onClick={() => change(without(factor.mfaEnrollmentId))}>
                {t.query.remove}
              </button>
            )}
          </li>
        ))}
        {user.mfaInfo.length === 0 && <li className="soft">{t.common.none}</li>}
      </ul>
      {error !== null && <Problem error={error} />}
    </div>
  )
}

/** The actions for a whole account. */
function Actions({ directory, user, changed, close }: PartProps & { close: () => void }) {
  const { t } = useText()
  const { write, features, addresses } = useSession()
  const [sure, setSure] = useState(false)
  const { busy, error, run } = useAction()
  const toast = useToast()
  if (!write) return null
  const revoke = async () => {
    await updateUser(directory, user.localId, { validSince: String(Math.floor(Date.now() / 1000)) })
    toast(t.users.revoked)
    changed()
  }
  const copyToken = async () => {
    const { idToken } = await signInAs(directory, user.localId)
    await navigator.clipboard.writeText(idToken)
    toast(t.users.tokenCopied)
  }
  const openSite = async () => {
    window.open(await siteLink(directory, user.localId), '_blank', 'noreferrer')
  }
  const remove = async () => {
    await deleteUsers(directory, [user.localId])
    toast(t.users.deleted)
    close()
    changed()
  }
  return (
    <>
      {error !== null && <Problem error={error} />}
      <div className="dialog-foot apart">
        {features.includes('signInAs') && (
          <>
            {addresses['hosting'] && (
              <button type="button" className="button" disabled={busy} title={t.users.openSiteHint} onClick={() => void run(openSite)}>
                {t.users.openSite}
              </button>
            )}
            <button type="button" className="button" disabled={busy} onClick={() => void run(copyToken)}>
              {t.users.signInAs}
            </button>
          </>
        )}
        <button type="button" className="button" disabled={busy} onClick={() => void run(revoke)}>
          {t.users.revoke}
        </button>
        <button type="button" className="button danger push" disabled={busy} onClick={() => (sure ? void run(remove) : setSure(true))}>
          {sure ? t.users.deleteSure : t.users.delete}
        </button>
      </div>
    </>
  )
}
