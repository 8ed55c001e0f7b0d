import { useId } from 'react'

const WIDTH = 300
const HEIGHT = 64

type Series = { label: string; values: number[] }

/** The line of values from left to right, the highest at the top. */
export function linePath(values: readonly number[], most: number): string {
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0
  return values
    .map(
      (value, i) =>
        `${i === 0 ? 'M' : 'L'}${(i * step).toFixed(1)} ${(HEIGHT - (most > 0 ? value / most : 0) * (HEIGHT - 4) - 2).toFixed(1)}`,
    )
    .join('')
}

/** A figure with how it went over time. */
export function Chart({ title, value, series }: { title: string; value: string; series: Series[] }) {
  const id = useId()
  const most = Math.max(0, ...series.flatMap((one) => one.values))
  return (
    <figure className="chart" aria-labelledby={id}>
      <figcaption id={id}>
        <span className="label">{title}</span>
        <strong>{value}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {series.map((one, i) => (
          <path key={one.label} className={`line line-${i}`} d={linePath(one.values, most)} />
        ))}
      </svg>
    </figure>
  )
}
