import { loadDenials } from '../../api/denials'
import { loadRules } from '../../api/rules'
import { useText } from '../../i18n/text'
import { useEvery } from '../../lib/use-every'
import { useLoad } from '../../lib/use-load'
import { useScope } from '../../session'
import { Moment, MomentSince } from '../../ui/moment'
import { Empty, Loaded } from '../../ui/states'
import { ListTable } from '../../ui/table'
import { groups } from './group'

const EVERY_MS = 10_000

/** The latest denials of a production server, without data, equal ones together, and the lines of the rules that decided. */
export default function DenialsPage() {
  const { t, number } = useText()
  const scope = useScope()
  const { state, reload } = useLoad(JSON.stringify(scope), (signal) => loadDenials(scope, signal))
  const rules = useLoad(`rules ${JSON.stringify(scope)}`, (signal) => loadRules(scope, signal))
  useEvery(reload, EVERY_MS, true)
  const source = rules.state.status === 'ready' ? (rules.state.data.source ?? '').split('\n') : []
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t.pages.denials}</h1>
      </div>
      <p className="soft">{t.denials.hint}</p>
      <Loaded state={state} reload={reload} rows={10}>
        {({ denials }) =>
          denials.length === 0 ? (
            <Empty icon="denials">
              <strong>{t.denials.none}</strong>
              <span>{t.denials.noneHint}</span>
            </Empty>
          ) : (
            <ListTable
              label={t.pages.denials}
              heads={[
                t.denials.last,
                t.requests.method,
                t.requests.path,
                t.requests.user,
                t.denials.rules,
                { text: t.denials.times, as: 'number' },
              ]}
            >
              {groups(denials).map(({ denial, times, first }) => (
                <tr key={JSON.stringify(denial)}>
                  <td className="tight">
                    <MomentSince iso={denial.time} />
                  </td>
                  <td className="tight">
                    <span className="tag">{denial.method}</span>
                  </td>
                  <td className="mono wrap">{denial.path}</td>
                  <td className="mono id late">{denial.uid ?? <span className="soft">{t.users.anonymous}</span>}</td>
                  <td className="mono wrap rule">
                    {denial.lines.length === 0 && <span className="soft">{t.denials.noRule}</span>}
                    {denial.lines.map((line) => (
                      <div key={line}>
                        {t.requests.lineShort(line)} <span className="soft">{source[line - 1]?.trim()}</span>
                      </div>
                    ))}
                  </td>
                  <td className="number" data-head={t.denials.times}>
                    <strong>{number(times)}</strong>
                    {times > 1 && (
                      <span className="soft small">
                        {' '}
                        {t.denials.since} <Moment iso={first} />
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </ListTable>
          )
        }
      </Loaded>
    </div>
  )
}
