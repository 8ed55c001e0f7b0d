import { json } from '@codemirror/lang-json'
import type { Diagnostic } from '@codemirror/lint'
import { useMemo, useState } from 'react'
import { type Directory, updateUser, type User } from '../../api/users'
import { useText } from '../../i18n/text'
import { keptDraft } from '../../lib/drafts'
import { claimsProblem, MAX_CLAIMS } from '../../lib/claims'
import { useAction } from '../../lib/use-action'
import { useKept } from '../../lib/use-kept'
import { useSession } from '../../session'
import { CodeEditor } from '../../ui/code-editor'
import { Problem } from '../../ui/states'
import { useToast } from '../../ui/toasts'
import { userAddress } from './address'

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text || '{}'), null, 2)
  } catch {
    return text
  }
}

/** A text without the spaces of JSON, if it is JSON. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text || '{}'))
  } catch {
    return text
  }
}

/** The custom claims of a user, which rules read in request.auth.token. */
export default function ClaimsForm({ directory, user, changed }: { directory: Directory; user: User; changed: () => void }) {
  const { t, number } = useText()
  const { write } = useSession()
  const address = userAddress(directory, user.localId, 'claims')
  const [text, setText] = useState(() => keptDraft(address) ?? pretty(user.customAttributes))
  const { busy, error, run } = useAction()
  const toast = useToast()
  const language = useMemo(() => json(), [])
  const problem = claimsProblem(text)
  const unsaved = compact(text) !== compact(user.customAttributes)
  useKept(
    address,
    useMemo(() => (unsaved ? () => text : null), [unsaved, text]),
  )
  const check = (now: string): Diagnostic[] => {
    setText(now)
    const found = claimsProblem(now)
    return found
      ? [{ from: Math.min(found.at, now.length), to: now.length, severity: 'error', message: t.users.claimProblems[found.kind] }]
      : []
  }
  const save = async () => {
    await updateUser(directory, user.localId, { customAttributes: JSON.stringify(JSON.parse(text)) })
    toast(t.users.saved)
    changed()
  }
  const size = problem?.kind === 'syntax' ? text.length : JSON.stringify(JSON.parse(text)).length
  return (
    <div className="stack">
      <CodeEditor text={text} language={language} label={t.users.claims} readOnly={!write} checkNow={check} />
      <div className="row">
        <span className={problem ? 'bad' : 'soft'} role="status">
          {problem
            ? `${t.users.claimProblems[problem.kind]}${problem.name ? `: ${problem.name}` : ''}`
            : t.users.claimSize(number(size), number(MAX_CLAIMS))}
        </span>
        {unsaved && (
          <button type="button" className="button" onClick={() => setText(pretty(user.customAttributes))}>
            {t.data.discard}
          </button>
        )}
        {write && (
          <button type="button" className="button primary push" disabled={busy || problem !== null} onClick={() => void run(save)}>
            {t.common.save}
          </button>
        )}
      </div>
      {error !== null && <Problem error={error} />}
    </div>
  )
}
