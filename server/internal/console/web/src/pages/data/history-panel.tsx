import { useState } from 'react'
import { loadHistory, loadVersion, restoreVersion, type Version } from '../../api/history'
import { useText } from '../../i18n/text'
import { formatDocument } from '../../lib/json-document'
import { documentsRoot, type Scope } from '../../lib/scope'
import { useAction } from '../../lib/use-action'
import { useLoad } from '../../lib/use-load'
import { useSession } from '../../session'
import { DiffView } from '../../ui/diff-view'
import { Loaded, Problem } from '../../ui/states'
import { useToast } from '../../ui/toasts'

const TONES = { create: 'good', update: '', delete: 'bad', before: '' } as const

/** The versions of a document with their differences. Each can be restored. */
export default function HistoryPanel({ scope, path, restored }: { scope: Scope; path: string; restored: () => void }) {
  const { t, time } = useText()
  const { write } = useSession()
  const { state, reload } = useLoad(`history ${path}`, (signal) => loadHistory(scope, path, signal))
  const [chosen, setChosen] = useState<string | null>(null)
  const { busy, error, run } = useAction()
  const toast = useToast()
  const restore = (version: Version) =>
    void run(async () => {
      await restoreVersion(scope, path, version.time)
      toast(t.history.restored)
      reload()
      restored()
    })
  return (
    <div className="editor">
      {error !== null && <Problem error={error} />}
      <Loaded state={state} reload={reload}>
        {({ versions, since }) => (
          <>
            <p className="soft small">{t.history.since(time(since))}</p>
            {versions.length === 0 && <p className="soft">{t.history.none}</p>}
            <ol className="versions">
              {versions.map((version, i) => {
                const before = versions[i + 1]
                return (
                  <li key={version.time}>
                    <button
                      type="button"
                      className="link"
                      aria-expanded={chosen === version.time}
                      onClick={() => setChosen(chosen === version.time ? null : version.time)}
                    >
                      {time(version.time)}
                    </button>
                    <span className={`tag ${TONES[version.change]}`}>{t.history.changes[version.change]}</span>
                    {version.changed.length > 0 && <span className="mono small soft clip">{version.changed.join(', ')}</span>}
                    {write && i > 0 && (
                      <button type="button" className="button" disabled={busy} onClick={() => restore(version)}>
                        {t.history.restore}
                      </button>
                    )}
                    {chosen === version.time && <Difference scope={scope} path={path} from={before?.time ?? null} to={version.time} />}
                  </li>
                )
              })}
            </ol>
          </>
        )}
      </Loaded>
    </div>
  )
}

function Difference({ scope, path, from, to }: { scope: Scope; path: string; from: string | null; to: string }) {
  const { t } = useText()
  const { state, reload } = useLoad(`${path} ${from ?? ''} ${to}`, async (signal) => {
    const text = async (at: string | null) => {
      const fields = at && (await loadVersion(scope, path, at, signal))
      return fields ? formatDocument(fields, `${documentsRoot(scope)}/`) : ''
    }
    const [before, after] = await Promise.all([text(from), text(to)])
    return { before, after }
  })
  return (
    <div className="whole">
      <Loaded state={state} reload={reload} rows={3}>
        {({ before, after }) => <DiffView before={before} after={after} label={t.history.difference} same={t.history.same} />}
      </Loaded>
    </div>
  )
}
