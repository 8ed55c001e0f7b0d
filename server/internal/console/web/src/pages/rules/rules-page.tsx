import { Suspense } from 'react'
import { loadRules } from '../../api/rules'
import { useText } from '../../i18n/text'
import { renewable } from '../../lib/renewable'
import { useLoad } from '../../lib/use-load'
import { useScope } from '../../session'
import { Loaded, Skeleton } from '../../ui/states'

const RulesWorkshop = renewable(() => import('./rules-workshop'))

/** The rules in force, and a draft. */
export default function RulesPage() {
  const { t } = useText()
  const scope = useScope()
  const { state, reload } = useLoad(JSON.stringify(scope), (signal) => loadRules(scope, signal))
  return (
    <div className="page filled">
      <div className="page-head">
        <h1>{t.pages.rules}</h1>
        {state.status === 'ready' && <span className="mono soft wrap">{state.data.file}</span>}
        {state.status === 'ready' && state.data.open && <span className="tag bad">{t.rules.open}</span>}
      </div>
      <Loaded state={state} reload={reload} rows={12}>
        {(rules) => (
          <Suspense fallback={<Skeleton rows={12} />}>
            <RulesWorkshop key={rules.source ?? ''} scope={scope} inForce={rules.source ?? ''} reload={reload} />
          </Suspense>
        )}
      </Loaded>
    </div>
  )
}
