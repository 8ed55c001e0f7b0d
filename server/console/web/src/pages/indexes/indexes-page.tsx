import { type Index, loadIndexes } from '../../api/operations'
import { useText } from '../../i18n/text'
import { useLoad } from '../../lib/use-load'
import { indexFile } from '../../lib/index-file'
import { useScope } from '../../session'
import { CopyButton } from '../../ui/copy-button'
import { Empty, Loaded } from '../../ui/states'

/** Composite indexes: those there are, and those that queries needed. */
export default function IndexesPage() {
  const { t } = useText()
  const scope = useScope()
  const { state, reload } = useLoad(JSON.stringify(scope), (signal) => loadIndexes(scope, signal))
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t.pages.indexes}</h1>
        <button type="button" className="button push" onClick={reload}>
          {t.common.refresh}
        </button>
      </div>
      <Loaded state={state} reload={reload}>
        {({ indexes, needed, mode, file }) => (
          <>
            <dl className="facts">
              <dt>{t.indexes.mode}</dt>
              <dd>
                <code>{mode}</code>
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
                <IndexTable indexes={needed} label={t.indexes.needed} />
              </section>
            )}
            {indexes.length === 0 ? <Empty>{t.indexes.none}</Empty> : <IndexTable indexes={indexes} label={t.pages.indexes} />}
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

function IndexTable({ indexes, label }: { indexes: Index[]; label: string }) {
  const { t } = useText()
  const states: Record<string, string> = t.indexes.states
  const origins: Record<string, string> = t.indexes.origins
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={label}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t.indexes.collection}</th>
            <th scope="col">{t.data.fields}</th>
            <th scope="col">{t.indexes.scope}</th>
            <th scope="col">{t.users.state}</th>
            <th scope="col">{t.indexes.origin}</th>
          </tr>
        </thead>
        <tbody>
          {indexes.map((index, i) => (
            <tr key={i}>
              <td className="mono">{index.collection}</td>
              <td className="mono wrap">{index.fields.map(fieldText).join(', ')}</td>
              <td>{index.scope === 'COLLECTION_GROUP' ? t.data.group : t.indexes.collection}</td>
              <td>
                {index.state && (
                  <span className={`tag ${index.state === 'ready' ? 'good' : 'warn'}`}>{states[index.state] ?? index.state}</span>
                )}
              </td>
              <td>{origins[index.origin] ?? index.origin}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
