import { useText } from '../../i18n/text'
import { conflictsIn } from '../../lib/draft'
import type { Value } from '../../lib/value'
import { fieldPath, valueText } from '../../lib/value-text'
import { Problem } from '../../ui/states'
import type { DocumentDraft } from './use-document-draft'

/** The number of letters of a value that a conflict shows. */
const MAX_LETTERS = 300

/** What is unsaved of a document, the conflicts with other clients' changes, and the buttons that save or discard it. */
export function SaveBar({ draft: held }: { draft: DocumentDraft }) {
  const { t } = useText()
  const { draft, dirty, changes, busy, error } = held
  if (!draft || !(dirty || error !== null)) return null
  const conflicts = draft.gone ? [] : conflictsIn(draft)
  const unfinished = draft.json !== null || Object.keys(draft.texts).length > 0
  const state = draft.gone
    ? t.data.deletedElsewhere
    : conflicts.length > 0
      ? t.data.changedElsewhere
      : draft.newer
        ? t.data.mergedLater
        : draft.json !== null
          ? t.data.invalidJson
          : unfinished
            ? t.data.invalidValues
            : t.data.unsaved
  return (
    <section className="save-bar" aria-label={t.data.unsaved}>
      {error !== null && <Problem error={error} />}
      {conflicts.length > 0 && (
        <ul className="conflicts" aria-label={t.data.conflicts}>
          {conflicts.map(({ path, mine, theirs }) => (
            <li key={JSON.stringify(path)} aria-label={path.map(fieldPath).join('.')}>
              <strong className="mono wrap">{path.map(fieldPath).join('.')}</strong>
              <Side label={t.data.mine} value={mine} keep={t.data.keepMine} choose={() => held.decide(path, 'mine')} />
              <Side label={t.data.theirs} value={theirs} keep={t.data.takeTheirs} choose={() => held.decide(path, 'theirs')} />
            </li>
          ))}
        </ul>
      )}
      {dirty && (
        <div className="row">
          <span className={conflicts.length > 0 || draft.gone || unfinished ? 'wrap' : 'soft'} role="status">
            {state}
          </span>
          <div className="row push">
            <button type="button" className="button" onClick={held.discard}>
              {t.data.discard}
            </button>
            {draft.gone ? (
              <button type="button" className="button primary" disabled={busy || unfinished} onClick={held.createAgain}>
                {t.data.createAgain}
              </button>
            ) : (
              <button
                type="button"
                className="button primary"
                disabled={busy || unfinished || conflicts.length > 0 || changes === 0}
                onClick={held.save}
              >
                {t.common.save}
              </button>
            )}
          </div>
        </div>
      )}
    </section>
  )
}

type SideProps = { label: string; value: Value | undefined; keep: string; choose: () => void }

/** One of the two values of a conflict. */
function Side({ label, value, keep, choose }: SideProps) {
  const { t } = useText()
  return (
    <div className="conflict-side">
      <span className="soft small">{label}</span>
      <span className={value ? `mono wrap v-${value.type}` : 'soft'}>
        {value ? valueText(value).slice(0, MAX_LETTERS) : t.data.noValue}
      </span>
      <button type="button" className="button" onClick={choose}>
        {keep}
      </button>
    </div>
  )
}
