import { useState } from 'react'
import * as v from 'valibot'
import { type Directory, importUsers } from '../../api/users'
import { useText } from '../../i18n/text'
import { FileDialog } from '../../ui/file-dialog'
import { useToast } from '../../ui/toasts'

const BATCH = 500
const UsersFile = v.object({ users: v.array(v.looseObject({ localId: v.string() })) })

/** The users of a file's text; null if it has none. */
function usersOf(text: string) {
  try {
    return v.parse(UsersFile, JSON.parse(text)).users
  } catch {
    return null
  }
}

/** Imports the users of a file written by `firebase auth:export` or by this page. */
export function ImportUsersDialog({ directory, close, done }: { directory: Directory; close: () => void; done: () => void }) {
  const { t } = useText()
  const [refused, setRefused] = useState<string[]>([])
  const toast = useToast()
  const load = async (file: File, report: (done: number, total: number) => void) => {
    setRefused([])
    const users = usersOf(await file.text())
    if (!users) throw new Error(t.users.badFile)
    const bad: string[] = []
    for (let i = 0; i < users.length; i += BATCH) {
      report(i, users.length)
      const errors = await importUsers(directory, users.slice(i, i + BATCH))
      bad.push(...errors.map(({ index, message }) => `${users[i + index]?.localId ?? ''}: ${message}`))
    }
    setRefused(bad)
    toast(t.users.imported(users.length - bad.length))
    done()
    if (bad.length === 0) close()
  }
  return (
    <FileDialog title={t.users.importTitle} hint={t.users.importHint} accept=".json,application/json" load={load} close={close}>
      {refused.length > 0 && (
        <div className="notice bad" role="alert">
          {refused.slice(0, 20).map((line) => (
            <span key={line}>{line}</span>
          ))}
        </div>
      )}
    </FileDialog>
  )
}
