import { loadSafety } from '../../api/operations'
import { useText } from '../../i18n/text'
import { useLoad } from '../../lib/use-load'
import { Loaded } from '../../ui/states'

const TONES = { ok: 'good', warn: 'warn', bad: 'bad', unknown: '' } as const
const RANK = { bad: 0, warn: 1, unknown: 2, ok: 3 } as const

/** What a server that strangers reach should have, the worst first. */
export default function SafetyPage() {
  const { t } = useText()
  const { state, reload } = useLoad('safety', loadSafety)
  const titles: Record<string, string> = t.safety.checks
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t.pages.safety}</h1>
        <button type="button" className="button push" onClick={reload}>
          {t.common.refresh}
        </button>
      </div>
      <Loaded state={state} reload={reload} rows={9}>
        {({ checks }) => (
          <ul className="list">
            {checks
              .toSorted((a, b) => RANK[a.state] - RANK[b.state])
              .map((check) => (
                <li key={check.id}>
                  <span className={`tag ${TONES[check.state]}`}>{t.safety.states[check.state]}</span>
                  <strong>{titles[check.id] ?? check.id}</strong>
                  <span className="wrap" lang="en">
                    {check.text}
                  </span>
                </li>
              ))}
          </ul>
        )}
      </Loaded>
    </div>
  )
}
