import { loadAppCheck } from '../../api/app-check'
import { useText } from '../../i18n/text'
import { useEvery } from '../../lib/use-every'
import { useLoad } from '../../lib/use-load'
import { useSession } from '../../session'
import { Moment } from '../../ui/moment'
import { PageHead } from '../../ui/page-head'
import { Loaded } from '../../ui/states'
import { CheckedNodes } from './checked-nodes'
import { DebugTokens } from './debug-tokens'
import { ProductsTable } from './products-table'

const EVERY_MS = 10_000

/** The modes of App Check, which requests it found to be of the project's apps, and the debug tokens. */
export default function AppCheckPage() {
  const { t } = useText()
  const { write } = useSession()
  const { state, reload } = useLoad('appcheck', loadAppCheck)
  useEvery(reload, EVERY_MS, true)
  return (
    <div className="page">
      <PageHead title={t.pages.appcheck} reload={reload} />
      <p className="soft">{t.appcheck.hint}</p>
      <Loaded state={state} reload={reload} rows={4}>
        {({ since, nodes, products, tokens }) => (
          <>
            <ProductsTable products={products} write={write} changed={reload} />
            {nodes.length > 0 ? (
              <CheckedNodes nodes={nodes} />
            ) : (
              <p className="soft small">
                {t.appcheck.since} <Moment iso={since} />
              </p>
            )}
            <DebugTokens tokens={tokens} write={write} changed={reload} />
          </>
        )}
      </Loaded>
    </div>
  )
}
