import type { Sample } from '../../api/now'
import { useText } from '../../i18n/text'
import { bytesText as inUnits } from '../../lib/bytes'
import { Chart } from '../../ui/chart'

type Figure = {
  id: string
  title: string
  value: string
  legend?: string[]
  /** What stands below the chart in place of the largest value. */
  foot?: string | undefined
  text: (n: number) => string
  series: { label: string; values: number[] }[]
}

/** The values of the charts: rates of the last complete sample, and current values. */
function useFigures(samples: Sample[], interval: number): Figure[] {
  const { t, number } = useText()
  const last = samples.at(-1)
  if (!last) return []
  const whole = samples.length > 1 ? samples.slice(0, -1) : samples
  const recent = whole.at(-1) ?? last
  const perSecond = (n: number) => t.now.perSecond(number(Math.round((n / interval) * 10) / 10))
  const ms = (n: number) => `${number(Math.round(n * 10) / 10)} ms`
  const bytesText = (n: number) => inUnits(n, number)
  const series = (label: string, of: (sample: Sample) => number) => ({ label, values: whole.map(of) })
  // Current values are also available from the incomplete sample.
  const level = (label: string, of: (sample: Sample) => number) => ({ label, values: samples.map(of) })
  const counts = (['commits', 'writes', 'reads', 'queries', 'denials', 'signIns'] as const).map((name) => ({
    id: name,
    title: t.now[name],
    value: perSecond(recent[name]),
    text: perSecond,
    series: [series(name, (sample) => sample[name])],
  }))
  return [
    ...counts,
    {
      id: 'listeners',
      title: t.now.listeners,
      value: number(last.listeners),
      text: number,
      series: [level('listeners', (sample) => sample.listeners)],
    },
    {
      id: 'latency',
      title: t.now.latency,
      value: `${ms(recent.latency.p50)} · ${ms(recent.latency.p99)}`,
      text: ms,
      series: [series('p50', (sample) => sample.latency.p50), series('p99', (sample) => sample.latency.p99)],
    },
    { id: 'memory', title: t.now.memory, value: bytesText(last.memory), text: bytesText, series: [level('memory', (one) => one.memory)] },
    {
      id: 'disk',
      title: t.now.disk,
      value: bytesText(last.disk),
      foot: last.diskFree > 0 ? t.now.free(bytesText(last.diskFree)) : undefined,
      text: bytesText,
      series: [level('disk', (one) => one.disk)],
    },
    { id: 'log', title: t.now.log, value: bytesText(last.log), text: bytesText, series: [level('log', (one) => one.log)] },
    ...lags(samples, (n) => t.now.commitsBehind(number(n)), t.now),
  ]
}

/** How far the state and each other node are behind the shared log; empty for a single server. */
function lags(samples: Sample[], text: (n: number) => string, titles: { lag: string; nodes: string }): Figure[] {
  const last = samples.at(-1)
  if (last?.lag === undefined) return []
  const names = [...new Set(samples.flatMap((sample) => sample.nodes.map((node) => node.name)))].toSorted()
  const of = (sample: Sample, name: string) => sample.nodes.find((node) => node.name === name)?.lag ?? 0
  return [
    { id: 'lag', title: titles.lag, value: text(last.lag), text, series: [{ label: 'lag', values: samples.map((one) => one.lag ?? 0) }] },
    {
      id: 'nodes',
      title: titles.nodes,
      value: text(Math.max(0, ...last.nodes.map((node) => node.lag))),
      legend: names.map((name) => `${name}: ${text(of(last, name))}`),
      text,
      series: names.map((name) => ({ label: name, values: samples.map((one) => of(one, name)) })),
    },
  ]
}

/** The widths of the charts in minutes. */
const WIDTHS = [5, 15, 60]

/** The smallest width in minutes that shows a number of samples, or the largest one. */
export function chartMinutes(samples: number, interval: number): number {
  return WIDTHS.find((minutes) => samples * interval <= minutes * 60) ?? 60
}

/** Small charts of the time since the server started, at most of the last hour. */
export function Charts({ samples, interval }: { samples: Sample[]; interval: number }) {
  const { t } = useText()
  const figures = useFigures(samples, interval)
  const minutes = chartMinutes(samples.length, interval)
  return (
    <section className="stack" aria-label={t.now.hour}>
      <div className="charts">
        {figures.map(({ id, title, value, legend, foot, text, series }) => {
          const most = Math.max(0, ...series.flatMap((one) => one.values))
          return (
            <Chart
              key={id}
              title={title}
              value={value}
              legend={legend}
              most={most}
              mostText={foot ?? t.now.most(text(most))}
              series={series}
              slots={(minutes * 60) / interval}
              minutes={minutes}
            />
          )
        })}
      </div>
    </section>
  )
}
