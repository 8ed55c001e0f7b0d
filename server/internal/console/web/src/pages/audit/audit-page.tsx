import { useState } from 'react'
import { type AuditEntry, loadAudit } from '../../api/operations'
import { useText } from '../../i18n/text'
import { useAction } from '../../lib/use-action'
import { useLoad } from '../../lib/use-load'
import { MomentSince } from '../../ui/moment'
import { PageHead } from '../../ui/page-head'
import { Empty, Loaded, Problem } from '../../ui/states'
import { ListTable } from '../../ui/table'

const MAX_TARGETS = 5

/** The colours of what was done to a target. */
const TONES: Record<string, string> = { create: 'good', delete: 'bad' }

/** A changed document, account or setting: what was done, as a tag, and its path. */
function Target({ text }: { text: string }) {
  const end = text.indexOf(' ')
  const [verb, path] = end < 0 ? ['', text] : [text.slice(0, end), text.slice(end + 1)]
  return (
    <span className="target">
      {verb && <span className={`tag ${TONES[verb] ?? ''}`}>{verb}</span>} <span className="mono wrap">{path}</span>
    </span>
  )
}

/** The changes made through the console, with their sessions and results. */
export default function AuditPage() {
  const { t } = useText()
  const { state, reload } = useLoad('audit', (signal) => loadAudit(null, signal))
  return (
    <div className="page">
      <PageHead title={t.pages.audit} reload={reload} />
      <Loaded state={state} reload={reload} rows={10}>
        {(first) => <Entries key={first.entries[0]?.n ?? 0} first={first.entries} more={first.more} />}
      </Loaded>
    </div>
  )
}

function Entries({ first, more }: { first: AuditEntry[]; more: boolean }) {
  const { t, number } = useText()
  const [rest, setRest] = useState<{ entries: AuditEntry[]; more: boolean }>({ entries: [], more })
  const { busy, error, run } = useAction()
  const entries = [...first, ...rest.entries]
  if (entries.length === 0)
    return (
      <Empty icon="audit">
        <strong>{t.audit.none}</strong>
        <span>{t.audit.noneHint}</span>
      </Empty>
    )
  const next = async () => {
    const page = await loadAudit(entries.at(-1)?.n ?? null)
    setRest({ entries: [...rest.entries, ...page.entries], more: page.more })
  }
  return (
    <>
      <ListTable label={t.pages.audit} heads={[t.audit.time, t.audit.what, t.audit.targets, t.audit.session, t.audit.result]}>
        {entries.map((entry) => (
          <tr key={entry.n}>
            <td className="tight">
              <MomentSince iso={entry.time} />
            </td>
            <td className="mono tight">{entry.method}</td>
            <td className="wrap">
              {entry.targets.slice(0, MAX_TARGETS).map((target, i) => (
                <Target key={`${i} ${target}`} text={target} />
              ))}
              {entry.count > MAX_TARGETS && <span className="soft small">{t.audit.ofAll(number(entry.count))}</span>}
            </td>
            <td className="mono id late">
              {entry.session} <span className="soft">{entry.address}</span>
            </td>
            <td className="state">
              <span className={`tag ${entry.result === 'OK' ? 'good' : 'bad'}`}>{entry.result}</span>
            </td>
          </tr>
        ))}
      </ListTable>
      {error !== null && <Problem error={error} />}
      {rest.more && (
        <div>
          <button type="button" className="button" disabled={busy} onClick={() => void run(next)}>
            {t.common.more}
          </button>
        </div>
      )}
    </>
  )
}
