import { useState } from 'react'
import { advanceClock, type LabState, putClock } from '../../api/operations'
import { useText } from '../../i18n/text'
import { durationText } from '../../lib/duration'
import { useAction } from '../../lib/use-action'
import { Problem } from '../../ui/states'

const STEPS = { minute: 60, hour: 3600, day: 86_400, month: 30 * 86_400 } as const
const MOST = 366 * 86_400

type Props = { clock: LabState['clock']; write: boolean; changed: () => void }

/** The server's clock and the controls that advance it. */
export function ClockSection({ clock, write, changed }: Props) {
  const { t } = useText()
  return (
    <section className="stack" aria-label={t.lab.clock}>
      <h2>{t.lab.clock}</h2>
      <p className="soft">{clock ? t.lab.clockHint : t.lab.clockNone}</p>
      {clock && <Clock clock={clock} write={write} changed={changed} />}
    </section>
  )
}

function Clock({ clock, write, changed }: { clock: { now: string; ahead: number }; write: boolean; changed: () => void }) {
  const { t, time, language } = useText()
  const [minutes, setMinutes] = useState('')
  const { busy, error, run } = useAction()
  const set = (work: Promise<void>) =>
    void run(async () => {
      await work
      changed()
    })
  return (
    <>
      <p className="row" role="status">
        <strong>{time(clock.now)}</strong>
        <span className={`tag ${clock.ahead > 0 ? 'warn' : ''}`}>
          {clock.ahead > 0 ? t.lab.ahead(durationText(clock.ahead, language)) : t.lab.onTime}
        </span>
      </p>
      {error !== null && <Problem error={error} />}
      {write && (
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault()
            set(putClock(Math.round(Number(minutes) * 60)))
            setMinutes('')
          }}
        >
          <div className="steps">
            {(['minute', 'hour', 'day', 'month'] as const).map((step) => (
              <button
                key={step}
                type="button"
                className="button"
                disabled={busy || clock.ahead + STEPS[step] > MOST}
                onClick={() => set(advanceClock(STEPS[step]))}
              >
                {t.lab.addTime[step]}
              </button>
            ))}
          </div>
          <input
            type="number"
            className="minutes"
            required
            min="0"
            max={MOST / 60}
            step="any"
            value={minutes}
            aria-label={t.lab.minutes}
            placeholder={t.lab.minutes}
            onChange={(event) => setMinutes(event.target.value)}
          />
          <button type="submit" className="button" disabled={busy}>
            {t.lab.put}
          </button>
          {clock.ahead > 0 && (
            <button type="button" className="button primary" disabled={busy} onClick={() => set(putClock(0))}>
              {t.lab.putBack}
            </button>
          )}
        </form>
      )}
      {clock.ahead > 0 && <p className="soft small">{t.lab.clockBack}</p>}
    </>
  )
}
