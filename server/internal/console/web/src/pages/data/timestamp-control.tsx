import { useMemo, useState } from 'react'
import { useText } from '../../i18n/text'
import { readSetting, writeSetting } from '../../lib/settings'
import { finerDigits, fromZone, toZone, withFiner, zones } from '../../lib/zones'

/** A time in a zone, which applies to all timestamps. Digits after milliseconds are kept. */
export function TimestampControl({
  iso,
  label,
  disabled,
  set,
}: {
  iso: string
  label: string
  disabled: boolean
  set: (iso: string) => void
}) {
  const { t } = useText()
  const all = useMemo(() => zones(), [])
  // The hundreds of zones are rendered only while the user chooses one.
  const [choosing, setChoosing] = useState(false)
  const [zone, setZone] = useState(() => {
    const stored = readSetting('zone')
    return stored && all.includes(stored) ? stored : (all[0] ?? 'UTC')
  })
  return (
    <>
      <div className="two">
        <input
          type="datetime-local"
          step="0.001"
          value={toZone(iso, zone)}
          disabled={disabled}
          aria-label={label}
          onChange={(event) => {
            const next = fromZone(event.target.value, zone)
            if (next) set(withFiner(next, finerDigits(iso)))
          }}
        />
        <select
          value={zone}
          aria-label={t.data.zone}
          onFocus={() => setChoosing(true)}
          onPointerDown={() => setChoosing(true)}
          onChange={(event) => {
            writeSetting('zone', event.target.value)
            setZone(event.target.value)
          }}
        >
          {(choosing ? all : [...new Set([zone, ...all.slice(0, 2)])]).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <span className="mono soft">{iso}</span>
    </>
  )
}
