import { explainQuery, type Explanation } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { useLoad } from '../../lib/use-load'
import { Dialog } from '../../ui/dialog'
import { Loaded } from '../../ui/states'
import { type Place, sourceOf } from './use-rows'

/** How a query runs: its indexes, and the entries and documents read in relation to the results. */
export default function ExplainDialog({ place, close }: { place: Place; close: () => void }) {
  const { t } = useText()
  const { state, reload } = useLoad(JSON.stringify(place), (signal) =>
    explainQuery(place.scope, { query: place.query, source: sourceOf(place), size: place.query.limit ?? 1000, signal }),
  )
  return (
    <Dialog title={t.query.explainTitle} close={close} wide>
      <Loaded state={state} reload={reload} rows={4}>
        {(explanation) => (explanation ? <Picture explanation={explanation} /> : <p>{t.common.none}</p>)}
      </Loaded>
    </Dialog>
  )
}

/** The milliseconds of a duration such as "0.0147s", with two digits. */
const milliseconds = (duration: string) => Number(((Number.parseFloat(duration) || 0) * 1000).toPrecision(2))

function Picture({ explanation: { planSummary, executionStats } }: { explanation: Explanation }) {
  const { t, number } = useText()
  const indexes = planSummary?.indexesUsed ?? []
  const debug = executionStats?.debugStats ?? {}
  const figures = [
    { label: t.query.entries, value: Number(debug['index_entries_scanned'] ?? 0) },
    { label: t.query.read, value: Number(debug['documents_scanned'] ?? executionStats?.readOperations ?? 0) },
    { label: t.query.returned, value: Number(executionStats?.resultsReturned ?? 0) },
  ]
  const most = Math.max(1, ...figures.map((figure) => figure.value))
  return (
    <div className="stack">
      <ol className="flow" aria-label={t.query.explainTitle}>
        <li>
          <span className="label">{t.query.indexUsed}</span>
          {indexes.length === 0 && <span>{t.query.noIndex}</span>}
          {indexes.map((index, i) => (
            <span key={i} className="mono wrap">
              {Object.values(index).map(String).join(' · ')}
            </span>
          ))}
        </li>
        {figures.map(({ label, value }) => (
          <li key={label}>
            <span className="label">{label}</span>
            <strong>{number(value)}</strong>
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect width={(value / most) * 100} height="8" rx="1" />
            </svg>
          </li>
        ))}
      </ol>
      <p>
        <span className="label">{t.query.took}</span>{' '}
        <span className="mono">{number(milliseconds(executionStats?.executionDuration ?? ''))} ms</span>
      </p>
    </div>
  )
}
