import { useId } from 'react'

const WIDTH = 360
const HEIGHT = 56

type Series = { label: string; values: number[] }

/** The path of a line of values that ends at the right edge. Each value takes one slot; most is at the top. */
export function linePath(values: readonly number[], most: number, slots: number): string {
  const step = WIDTH / Math.max(1, slots - 1)
  const from = WIDTH - step * (values.length - 1)
  return values
    .map((value, i) => {
      const y = HEIGHT - 2 - (most > 0 ? value / most : 0) * (HEIGHT - 4)
      return `${i === 0 ? 'M' : 'L'}${(from + i * step).toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
    .concat(values.length === 1 ? 'h0' : '')
}

/** The area between a line of values and the base. */
function areaPath(values: readonly number[], most: number, slots: number): string {
  if (values.length < 2) return ''
  const from = WIDTH - (WIDTH / Math.max(1, slots - 1)) * (values.length - 1)
  return `${linePath(values, most, slots)}L${WIDTH} ${HEIGHT - 1}L${from.toFixed(1)} ${HEIGHT - 1}Z`
}

type Props = {
  title: string
  value: string
  legend?: string[] | undefined
  series: Series[]
  most: number
  mostText: string
  slots: number
  minutes: number
}

/** A figure and its chart over time; the present is at the right. */
export function Chart({ title, value, legend = [], series, most, mostText, slots, minutes }: Props) {
  const id = useId()
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>
        <span className="label">{title}</span>
        <strong>{value}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {series.length === 1 && <path className="area" d={areaPath(series[0]?.values ?? [], most, slots)} />}
        <path className="base" d={`M0 ${HEIGHT - 1}L${WIDTH} ${HEIGHT - 1}`} />
        {series.map((one, i) => (
          <path key={one.label} className={`line line-${i % 4}`} d={linePath(one.values, most, slots)} />
        ))}
      </svg>
      <span className="chart-foot soft small" aria-hidden="true">
        <span>−{minutes} min</span>
        <span>{mostText}</span>
      </span>
      {legend.length > 0 && (
        <ul className="legend small">
          {legend.map((text, i) => (
            <li key={text} className="wrap">
              <svg viewBox="0 0 12 4" aria-hidden="true">
                <path className={`line line-${i % 4}`} d="M1 2h10" />
              </svg>
              {text}
            </li>
          ))}
        </ul>
      )}
    </figure>
  )
}
