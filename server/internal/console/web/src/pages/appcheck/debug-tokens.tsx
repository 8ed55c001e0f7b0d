import { useState } from 'react'
import { addDebugToken, type DebugToken, removeDebugToken } from '../../api/app-check'
import { useText } from '../../i18n/text'
import { useAction } from '../../lib/use-action'
import { CopyButton } from '../../ui/copy-button'
import { Input } from '../../ui/input'
import { Moment } from '../../ui/moment'
import { Empty, Problem } from '../../ui/states'
import { ListTable } from '../../ui/table'

type Props = { tokens: DebugToken[]; write: boolean; changed: () => void }

/** The debug tokens without their secrets. Writing sessions make and remove them. */
export function DebugTokens({ tokens, write, changed }: Props) {
  const { t } = useText()
  const { busy, error, run } = useAction()
  const [sure, setSure] = useState('')
  const remove = ({ app, id }: DebugToken) =>
    void run(async () => {
      await removeDebugToken(app, id)
      setSure('')
      changed()
    })
  const heads = [t.appcheck.app, t.appcheck.name, t.audit.time, ...(write ? [{ text: t.appcheck.remove, as: 'hidden' } as const] : [])]
  return (
    <section className="stack" aria-label={t.appcheck.tokens}>
      <h2>{t.appcheck.tokens}</h2>
      <p className="soft">{t.appcheck.tokensHint}</p>
      {tokens.length === 0 ? (
        <Empty icon="appcheck">{t.appcheck.none}</Empty>
      ) : (
        <ListTable label={t.appcheck.tokens} role="group" heads={heads}>
          {tokens.map((token) => (
            <tr key={token.app + token.id}>
              <td className="mono wrap">{token.app}</td>
              <td className="wrap">{token.name || <span className="mono soft">{token.id}</span>}</td>
              <td className="tight">
                <Moment iso={token.created} />
              </td>
              {write && (
                <td className="tight">
                  <button
                    type="button"
                    className="button danger"
                    disabled={busy}
                    onClick={() => (sure === token.id ? remove(token) : setSure(token.id))}
                  >
                    {sure === token.id ? t.auth.removeSure : t.auth.remove}
                  </button>
                </td>
              )}
            </tr>
          ))}
        </ListTable>
      )}
      {error !== null && <Problem error={error} />}
      {write && <NewDebugToken changed={changed} />}
    </section>
  )
}

/** Makes a debug token, and shows its only copy. */
function NewDebugToken({ changed }: { changed: () => void }) {
  const { t } = useText()
  const [app, setApp] = useState('')
  const [name, setName] = useState('')
  const [made, setMade] = useState('')
  const { busy, error, run } = useAction()
  const submit = async () => {
    setMade(await addDebugToken(app.trim(), name.trim()))
    setName('')
    changed()
  }
  return (
    <form
      className="stack"
      aria-label={t.appcheck.add}
      onSubmit={(event) => {
        event.preventDefault()
        void run(submit)
      }}
    >
      <div className="row fields">
        <Input label={t.appcheck.app} className="mono" hint={t.appcheck.appHint} value={app} set={setApp} />
        <Input label={t.appcheck.name} hint={t.appcheck.nameHint} value={name} set={setName} />
        <button type="submit" className="button" disabled={busy || app.trim() === ''}>
          {t.appcheck.add}
        </button>
      </div>
      {error !== null && <Problem error={error} />}
      {made !== '' && (
        <p role="status" className="row">
          <span>{t.appcheck.made}</span> <span className="mono wrap">{made}</span>
          <CopyButton text={made} />
        </p>
      )}
    </form>
  )
}
