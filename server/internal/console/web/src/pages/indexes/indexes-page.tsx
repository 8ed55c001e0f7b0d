import { addIndex, type Index, loadIndexes } from '../../api/operations'
import type { Messages } from '../../i18n/en'
import { useText } from '../../i18n/text'
import { bytesText } from '../../lib/bytes'
import { indexFile } from '../../lib/index-file'
import { useAction } from '../../lib/use-action'
import { useLoad } from '../../lib/use-load'
import { useScope, useSession } from '../../session'
import { CopyButton } from '../../ui/copy-button'
import { Moment } from '../../ui/moment'
import { PageHead } from '../../ui/page-head'
import { Empty, Loaded, Problem } from '../../ui/states'
import { type Head, ListTable } from '../../ui/table'
import { useToast } from '../../ui/toasts'

/** Composite indexes: existing ones with their use, and missing ones that queries needed. */
export default function IndexesPage() {
  const { t, time } = useText()
  const scope = useScope()
  const { features, write } = useSession()
  const { state, reload } = useLoad(JSON.stringify(scope), (signal) => loadIndexes(scope, signal))
  const { busy, error, run } = useAction()
  const toast = useToast()
  const add = (index: Index) =>
    void run(async () => {
      toast(t.indexes.added(await addIndex(scope, index.json)))
      reload()
    })
  return (
    <div className="page">
      <PageHead title={t.pages.indexes} reload={reload} />
      {error !== null && <Problem error={error} />}
      <Loaded state={state} reload={reload}>
        {({ indexes, needed, mode, file, since }) => (
          <>
            <dl className="facts">
              <dt>{t.indexes.mode}</dt>
              <dd>
                {Object.entries(t.indexes.modes).find(([id]) => id === mode)?.[1] ?? mode} <code>--indexes {mode}</code>
              </dd>
              <dt>{t.indexes.file}</dt>
              <dd className="mono wrap">{file ?? t.common.none}</dd>
            </dl>
            {needed.length > 0 && (
              <section className="stack" aria-label={t.indexes.needed}>
                <div className="row">
                  <h2>{t.indexes.needed}</h2>
                  <CopyButton text={indexFile(needed)} label={t.indexes.copy} />
                </div>
                <NeededTable indexes={needed} busy={busy} add={features.includes('indexFile') && write && file ? add : null} />
              </section>
            )}
            {indexes.length === 0 ? (
              <Empty icon="indexes">{t.indexes.none}</Empty>
            ) : (
              <>
                <PresentTable indexes={indexes} />
                <p className="soft small">{t.indexes.since(time(since))}</p>
              </>
            )}
          </>
        )}
      </Loaded>
    </div>
  )
}

const fieldText = (field: Index['fields'][number]): string => {
  if (field.array) return `${field.path} CONTAINS`
  if (field.vector) return `${field.path} VECTOR ${field.vector}`
  return `${field.path} ${field.order === 'DESCENDING' ? '↓' : '↑'}`
}

/** The definition of an index: the first cells of its row. */
function Cells({ index }: { index: Index }) {
  const { t } = useText()
  return (
    <>
      <td className="mono">{index.collection}</td>
      <td className="mono wrap">{index.fields.map(fieldText).join(', ')}</td>
      <td>{index.scope === 'COLLECTION_GROUP' ? t.data.group : t.indexes.collection}</td>
    </>
  )
}

/** The heads of the first cells. */
const headsOf = (t: Messages): Head[] => [t.indexes.collection, t.data.fields, t.indexes.scope]

function NeededTable({ indexes, busy, add }: { indexes: Index[]; busy: boolean; add: ((index: Index) => void) | null }) {
  const { t, number } = useText()
  return (
    <ListTable
      label={t.indexes.needed}
      role="group"
      heads={[
        ...headsOf(t),
        { text: t.indexes.wanted, as: 'number' },
        t.indexes.lastWanted,
        ...(add ? [{ text: t.data.actions, as: 'hidden' as const }] : []),
      ]}
    >
      {indexes.map((index) => (
        <tr key={index.json}>
          <Cells index={index} />
          <td className="number" data-head={t.indexes.wanted}>
            {number(index.count)}
          </td>
          <td className="tight" data-head={t.indexes.lastWanted}>
            {index.last && <Moment iso={index.last} />}
          </td>
          {add && (
            <td className="tight">
              <button type="button" className="button" disabled={busy} onClick={() => add(index)}>
                {t.indexes.toFile}
              </button>
            </td>
          )}
        </tr>
      ))}
    </ListTable>
  )
}

function PresentTable({ indexes }: { indexes: Index[] }) {
  const { t, number } = useText()
  const states: Record<string, string> = t.indexes.states
  const origins: Record<string, string> = t.indexes.origins
  return (
    <ListTable
      label={t.pages.indexes}
      heads={[
        ...headsOf(t),
        t.indexes.origin,
        t.users.state,
        { text: t.indexes.size, as: 'number' },
        { text: t.indexes.uses, as: 'number' },
      ]}
    >
      {indexes.map((index) => (
        <tr key={index.json}>
          <Cells index={index} />
          <td>{origins[index.origin] ?? index.origin}</td>
          <td className="state">
            {index.state && (
              <span className={`tag ${index.state === 'ready' ? 'good' : 'warn'}`}>{states[index.state] ?? index.state}</span>
            )}
          </td>
          <td className="number" data-head={t.indexes.size}>
            {number(index.entries)}
            {index.more && '+'} <span className="soft">{bytesText(index.bytes, number)}</span>
          </td>
          <td className="number" data-head={t.indexes.uses}>
            {index.uses > 0 ? number(index.uses) : <span className="tag warn">{t.indexes.never}</span>}
            {index.lastUse && (
              <span className="soft">
                {' '}
                · <Moment iso={index.lastUse} />
              </span>
            )}
          </td>
        </tr>
      ))}
    </ListTable>
  )
}
