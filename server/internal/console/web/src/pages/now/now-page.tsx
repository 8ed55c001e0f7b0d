import { useState } from 'react'
import { loadLogs, loadNow, type SlowQuery } from '../../api/now'
import { useText } from '../../i18n/text'
import { useEvery } from '../../lib/use-every'
import { useLoad } from '../../lib/use-load'
import { useSession } from '../../session'
import { Moment } from '../../ui/moment'
import { Empty, Loaded } from '../../ui/states'
import { Charts } from './charts'
import { UsageTable } from './usage-table'

const EVERY_MS = 5000

/** The server's current state and its last hour. */
export default function NowPage() {
  const { t, time } = useText()
  const { features } = useSession()
  const { state, reload } = useLoad('now', loadNow)
  useEvery(reload, EVERY_MS)
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t.pages.now}</h1>
        {state.status === 'ready' && <span className="soft">{t.now.since(time(state.data.started))}</span>}
      </div>
      <Loaded state={state} reload={reload} rows={10}>
        {({ samples, current, interval, slow, slowFrom, usage }) => (
          <>
            <Charts samples={[...samples, current]} interval={interval} />
            {usage && <UsageTable usage={usage} />}
            <Slow queries={slow} from={slowFrom} />
          </>
        )}
      </Loaded>
      {features.includes('logs') && <Logs />}
    </div>
  )
}

/** The latest slow queries, with the documents that they read and the indexes that they lacked. */
function Slow({ queries, from }: { queries: SlowQuery[]; from: number }) {
  const { t, number } = useText()
  return (
    <section className="stack" aria-label={t.now.slow}>
      <div className="page-head">
        <h2>{t.now.slow}</h2>
        <span className="soft">{t.now.slowHint(from)}</span>
      </div>
      {queries.length === 0 ? (
        <p className="soft">{t.now.noSlow}</p>
      ) : (
        <div className="scroll-x logs" tabIndex={0} role="group" aria-label={t.now.slow}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{t.audit.time}</th>
                <th scope="col" className="number">
                  {t.now.took}
                </th>
                <th scope="col">{t.now.query}</th>
                <th scope="col" className="number">
                  {t.now.read}
                </th>
              </tr>
            </thead>
            <tbody>
              {queries.map((query, i) => (
                <tr key={i}>
                  <td className="tight">
                    <Moment iso={query.time} />
                  </td>
                  <td className="number tight">{number(Math.round(query.took))} ms</td>
                  <td className="mono wrap">
                    {query.text} {query.missing.length > 0 && <span className="tag warn">{t.now.missingIndex}</span>}
                  </td>
                  <td className="number tight" data-head={t.now.read}>
                    {number(query.entries)} · {number(query.documents)} · {number(query.results)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function Logs() {
  const { t } = useText()
  const [level, setLevel] = useState('')
  const [text, setText] = useState('')
  const { state, reload } = useLoad(`${level} ${text}`, (signal) => loadLogs(level, text, signal))
  useEvery(reload, EVERY_MS)
  return (
    <section className="stack" aria-label={t.now.logs}>
      <div className="page-head">
        <h2>{t.now.logs}</h2>
        <select value={level} aria-label={t.now.level} onChange={(event) => setLevel(event.target.value)}>
          <option value="">{t.common.all}</option>
          {['INFO', 'WARN', 'ERROR'].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <input
          type="search"
          value={text}
          aria-label={t.common.search}
          placeholder={t.common.search}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <Loaded state={state} reload={reload}>
        {({ lines }) =>
          lines.length === 0 ? (
            <Empty>{t.now.noLogs}</Empty>
          ) : (
            <div className="scroll-x logs" tabIndex={0} role="group" aria-label={t.now.logs}>
              <table className="table">
                <tbody>
                  {lines.toReversed().map((line) => (
                    <tr key={line.n}>
                      <td className="tight">
                        <Moment iso={line.time} />
                      </td>
                      <td className="tight">
                        <span className={`tag ${line.level === 'ERROR' ? 'bad' : line.level === 'WARN' ? 'warn' : ''}`}>{line.level}</span>
                      </td>
                      <td className="wrap">
                        {line.message}{' '}
                        <span className="mono soft">
                          {Object.entries(line.attrs)
                            .map(([name, value]) => `${name}=${value}`)
                            .join(' ')}
                        </span>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </section>
  )
}
