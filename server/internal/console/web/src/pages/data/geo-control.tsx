import type { KeyboardEvent, MouseEvent } from 'react'
import { useText } from '../../i18n/text'
import type { ValuePath } from '../../lib/changes'
import { parseDouble } from '../../lib/parse-input'
import { useTyped } from './edit-context'
import { LAND } from './land'

type Props = { path: ValuePath; latitude: number; longitude: number; disabled: boolean; set: (latitude: number, longitude: number) => void }

const round = (n: number): number => Math.round(n * 10_000) / 10_000
const clamp = (n: number, limit: number): number => Math.max(-limit, Math.min(limit, n))

/** A geographical point: two numbers, and a small map on which the point can be moved. */
export function GeoControl({ path, latitude, longitude, disabled, set }: Props) {
  const { t } = useText()
  const click = (event: MouseEvent<SVGSVGElement>) => {
    if (disabled) return
    const box = event.currentTarget.getBoundingClientRect()
    const x = (event.clientX - box.left) / box.width
    const y = (event.clientY - box.top) / box.height
    set(round(clamp(90 - y * 180, 90)), round(clamp(x * 360 - 180, 180)))
  }
  const key = (event: KeyboardEvent) => {
    const step = event.shiftKey ? 10 : 1
    const moves: Record<string, [number, number]> = {
      ArrowUp: [step, 0],
      ArrowDown: [-step, 0],
      ArrowLeft: [0, -step],
      ArrowRight: [0, step],
    }
    const move = moves[event.key]
    if (!move || disabled) return
    event.preventDefault()
    set(round(clamp(latitude + move[0], 90)), round(clamp(longitude + move[1], 180)))
  }
  return (
    <>
      <div className="two">
        <Degrees
          path={[...path, 'latitude']}
          label={t.data.latitude}
          value={latitude}
          limit={90}
          disabled={disabled}
          set={(n) => set(n, longitude)}
        />
        <Degrees
          path={[...path, 'longitude']}
          label={t.data.longitude}
          value={longitude}
          limit={180}
          disabled={disabled}
          set={(n) => set(latitude, n)}
        />
      </div>
      <svg
        className="world"
        viewBox="-180 -90 360 180"
        role="application"
        aria-label={t.data.map}
        tabIndex={disabled ? -1 : 0}
        onClick={click}
        onKeyDown={key}
      >
        <path className="land" d={LAND} />
        <path className="grid-line" d="M-180 0H180M0-90V90" />
        <circle className="point" cx={longitude} cy={-latitude} r="5" />
      </svg>
    </>
  )
}

function Degrees({
  path,
  label,
  value,
  limit,
  disabled,
  set,
}: {
  path: ValuePath
  label: string
  value: number
  limit: number
  disabled: boolean
  set: (n: number) => void
}) {
  const parse = (of: string) => {
    const n = parseDouble(of)
    return n !== null && Math.abs(n) <= limit ? n : null
  }
  const { text, good, change } = useTyped({ path, value, format: String, parse, set })
  return (
    <label className="field">
      <span>{label}</span>
      <input
        className="mono"
        inputMode="decimal"
        value={text}
        disabled={disabled}
        aria-invalid={!good}
        onChange={(event) => change(event.target.value)}
      />
    </label>
  )
}
