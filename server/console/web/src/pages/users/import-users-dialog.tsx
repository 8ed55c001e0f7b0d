import { useState } from 'react'
import * as v from 'valibot'
import { type Directory, importUsers } from '../../api/users'
import { useText } from '../../i18n/text'
import { useAction } from '../../lib/use-action'
import { Dialog } from '../../ui/dialog'
import { Problem } from '../../ui/states'
import { useToast } from '../../ui/toasts'

const BATCH = 500
const UsersFile = v.object({ users: v.array(v.looseObject({ localId: v.string() })) })

/** Imports the users of a file written by `firebase auth:export` or by this page. */
export function ImportUsersDialog({ directory, close, done }: { directory: Directory; close: () => void; done: () => void }) {
  const { t } = useText()
  const [file, setFile] = useState<File | null>(null)
  const [refused, setRefused] = useState<string[]>([])
  const [progress, setProgress] = useState({ done: 0, total: 0 })
  const { busy, error, run } = useAction()
  const toast = useToast()
  const submit = () =>
    void run(async () => {
      if (!file) return
      const { users } = v.parse(UsersFile, JSON.parse(await file.text()))
      const bad: string[] = []
      for (let i = 0; i < users.length; i += BATCH) {
        setProgress({ done: i, total: users.length })
        const errors = await importUsers(directory, users.slice(i, i + BATCH))
        bad.push(...errors.map(({ index, message }) => `${users[i + index]?.localId ?? ''}: ${message}`))
      }
      setRefused(bad)
      toast(t.users.imported(users.length - bad.length))
      done()
      if (bad.length === 0) close()
    })
  return (
    <Dialog title={t.users.importTitle} close={close} submit={submit}>
      <p className="soft">{t.users.importHint}</p>
      <label className="field">
        <span>{t.data.importFile}</span>
        <input type="file" accept=".json,application/json" required onChange={(event) => setFile(event.target.files?.[0] ?? null)} />
      </label>
      {busy && (
        <div role="status">
          <progress max={Math.max(1, progress.total)} value={progress.done} aria-label={t.data.import} />
          {t.data.importing(progress.done, progress.total)}
        </div>
      )}
      {refused.length > 0 && (
        <div className="notice bad" role="alert">
          {refused.slice(0, 20).map((line) => (
            <span key={line}>{line}</span>
          ))}
        </div>
      )}
      {error !== null && <Problem error={error} />}
      <div className="dialog-foot">
        <button type="button" className="button" onClick={close}>
          {t.common.close}
        </button>
        <button type="submit" className="button primary" disabled={busy || !file}>
          {t.data.import}
        </button>
      </div>
    </Dialog>
  )
}
