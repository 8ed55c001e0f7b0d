import { useEffect, useState } from 'react'
import { loadLogs, loadNow, type Sample } from '../../api/now'
import { useText } from '../../i18n/text'
import { useLoad } from '../../lib/use-load'
import { useSession } from '../../session'
import { Chart } from '../../ui/chart'
import { Empty, Loaded } from '../../ui/states'

const EVERY_MS = 5000
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Bytes in the unit that leaves few digits. */
export function bytesText(bytes: number): string {
  const power = bytes > 0 ? Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10)) : 0
  const value = bytes / 1024 ** power
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}

/** Loads anew every few seconds while the page is looked at. */
function useEvery(reload: () => void) {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) reload()
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [reload])
}

/** How the server does now and did over the last hour. */
export default function NowPage() {
  const { t, time } = useText()
  const { features } = useSession()
  const { state, reload } = useLoad('now', loadNow)
  useEvery(reload)
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t.pages.now}</h1>
        {state.status === 'ready' && <span className="soft">{t.now.since(time(state.data.started))}</span>}
      </div>
      <Loaded state={state} reload={reload} rows={10}>
        {({ samples, current, interval }) => <Charts samples={[...samples, current]} interval={interval} />}
      </Loaded>
      {features.includes('logs') && <Logs />}
    </div>
  )
}

function Charts({ samples, interval }: { samples: Sample[]; interval: number }) {
  const { t, number } = useText()
  const last = samples.at(-1)
  if (!last) return null
  const whole = samples.length > 1 ? samples.slice(0, -1) : samples
  const recent = whole.at(-1) ?? last
  const rate = (of: (sample: Sample) => number) => number(Math.round((of(recent) / interval) * 10) / 10)
  const series = (label: string, of: (sample: Sample) => number) => ({ label, values: whole.map(of) })
  const ms = (n: number) => `${number(Math.round(n * 10) / 10)} ms`
  const counts = ['commits', 'writes', 'reads', 'queries', 'denials', 'signIns'] as const
  return (
    <div className="charts">
      {counts.map((name) => (
        <Chart
          key={name}
          title={t.now[name]}
          value={t.now.perSecond(rate((sample) => sample[name]))}
          series={[series(name, (sample) => sample[name])]}
        />
      ))}
      <Chart title={t.now.listeners} value={number(last.listeners)} series={[series('listeners', (sample) => sample.listeners)]} />
      <Chart
        title={t.now.latency}
        value={`${ms(recent.latency.p50)} · ${ms(recent.latency.p99)}`}
        series={[series('p50', (sample) => sample.latency.p50), series('p99', (sample) => sample.latency.p99)]}
      />
      <Chart title={t.now.memory} value={bytesText(last.memory)} series={[series('memory', (sample) => sample.memory)]} />
      <Chart
        title={t.now.disk}
        value={last.diskFree > 0 ? `${bytesText(last.disk)} · ${t.now.free(bytesText(last.diskFree))}` : bytesText(last.disk)}
        series={[series('disk', (sample) => sample.disk)]}
      />
    </div>
  )
}

function Logs() {
  const { t, time } = useText()
  const [level, setLevel] = useState('')
  const [text, setText] = useState('')
  const { state, reload } = useLoad(`${level} ${text}`, (signal) => loadLogs(level, text, signal))
  useEvery(reload)
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
            <div className="scroll-x logs" tabIndex={0} role="region" aria-label={t.now.logs}>
              <table className="table">
                <tbody>
                  {lines.toReversed().map((line) => (
                    <tr key={line.n}>
                      <td className="clip">{time(line.time)}</td>
                      <td>
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
