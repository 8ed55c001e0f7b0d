import { useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { send } from '../api/http'
import { useText } from '../i18n/text'
import { draftName } from '../lib/draft-name'
import { dropDraft, keepDraft, keptDraft, useDrafts } from '../lib/drafts'
import { Dialog } from '../ui/dialog'
import { Icon } from '../ui/icons'
import { useToast } from '../ui/toasts'

/** Links to all unsaved drafts. Each can be discarded, except that of the open page, which has a button for it. */
export function Drafts() {
  const { t } = useText()
  const drafts = useDrafts()
  const { pathname, search } = useLocation()
  const toast = useToast()
  if (drafts.length === 0) return null
  const discard = (address: string) => {
    const text = keptDraft(address)
    dropDraft(address)
    if (text !== null)
      toast(t.drafts.discarded(draftName(address, t)), { action: { label: t.common.undo, act: () => keepDraft(address, () => text) } })
  }
  return (
    <section className="drafts" aria-label={t.drafts.title}>
      <h2 className="label">{t.drafts.title}</h2>
      <ul>
        {drafts.map((address) => (
          <li key={address}>
            <Link to={address} className="clip" title={draftName(address, t)}>
              {draftName(address, t)}
            </Link>
            {address !== pathname && address !== pathname + search && (
              <button
                type="button"
                className="button plain icon"
                aria-label={t.drafts.discard(draftName(address, t))}
                onClick={() => discard(address)}
              >
                <Icon name="close" />
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Ends the session. If there are drafts, the user is asked first. */
export function SignOut() {
  const { t } = useText()
  const drafts = useDrafts()
  const [asking, setAsking] = useState(false)
  const end = async () => {
    await send('/api/session', { method: 'DELETE' })
    for (const address of drafts) dropDraft(address)
    location.reload()
  }
  return (
    <>
      <button type="button" className="button" onClick={() => (drafts.length > 0 ? setAsking(true) : void end())}>
        {t.shell.signOut}
      </button>
      {asking && (
        <Dialog title={t.shell.signOut} close={() => setAsking(false)} submit={() => void end()}>
          <p>{t.drafts.endAsk(drafts.length)}</p>
          <div className="dialog-foot">
            <button type="button" className="button" onClick={() => setAsking(false)}>
              {t.common.cancel}
            </button>
            <button type="submit" className="button danger">
              {t.shell.signOut}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
