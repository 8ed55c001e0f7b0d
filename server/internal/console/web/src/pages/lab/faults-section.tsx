import { useState } from 'react'
import { endFaults, type Faults, injectFaults, type LabState } from '../../api/operations'
import { useText } from '../../i18n/text'
import { useAction } from '../../lib/use-action'
import { Problem } from '../../ui/states'

const KINDS = ['all', 'reads', 'writes', 'streams'] as const
const ERRORS = ['UNAVAILABLE', 'ABORTED', 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED', 'INTERNAL'] as const

type Props = { faults: LabState['faults']; write: boolean; changed: () => void }

/** The controls that inject delays and errors into calls of clients. */
export function FaultsSection({ faults, write, changed }: Props) {
  const { t, number } = useText()
  const [calls, setCalls] = useState<Faults['calls']>(faults?.calls ?? 'all')
  const [percent, setPercent] = useState(String(faults?.percent ?? 20))
  const [delay, setDelay] = useState(String(faults?.delay ?? 0))
  const [error, setError] = useState<Faults['error']>(faults?.error ?? 'UNAVAILABLE')
  const { busy, error: failed, run } = useAction()
  const act = (work: () => Promise<void>) =>
    void run(async () => {
      await work()
      changed()
    })
  return (
    <section className="stack" aria-label={t.lab.faults}>
      <h2>{t.lab.faults}</h2>
      <p className="soft">{t.lab.faultsHint}</p>
      <form
        className="row bottom fields"
        onSubmit={(event) => {
          event.preventDefault()
          act(() => injectFaults({ calls, percent: Number(percent), delay: Number(delay), error }))
        }}
      >
        <label className="field">
          <span>{t.lab.calls}</span>
          <select
            value={calls}
            disabled={!write}
            onChange={(event) => setCalls(KINDS.find((kind) => kind === event.target.value) ?? 'all')}
          >
            {KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {t.lab.kinds[kind]}
              </option>
            ))}
          </select>
        </label>
        <Count label={t.lab.percent} value={percent} set={setPercent} min={1} max={100} disabled={!write} />
        <Count label={t.lab.delay} value={delay} set={setDelay} min={0} max={30_000} disabled={!write} />
        <label className="field">
          <span>{t.lab.error}</span>
          <select value={error} disabled={!write} onChange={(event) => setError(ERRORS.find((one) => one === event.target.value) ?? '')}>
            <option value="">{t.lab.noError}</option>
            {ERRORS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        {write && (
          <>
            <button type="submit" className="button" disabled={busy || (Number(delay) === 0 && error === '')}>
              {t.lab.inject}
            </button>
            {faults && (
              <button type="button" className="button primary" disabled={busy} onClick={() => act(endFaults)}>
                {t.lab.endFaults}
              </button>
            )}
          </>
        )}
      </form>
      {Number(delay) === 0 && error === '' && <p className="soft small">{t.lab.noFaults}</p>}
      {failed !== null && <Problem error={failed} />}
      {faults && (
        <p role="status" className="row">
          <span className="tag warn">{t.lab.injected(number(faults.injected))}</span>
        </p>
      )}
    </section>
  )
}

type CountProps = { label: string; value: string; set: (value: string) => void; min: number; max: number; disabled: boolean }

function Count({ label, value, set, min, max, disabled }: CountProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <input
        type="number"
        className="short"
        required
        min={min}
        max={max}
        value={value}
        disabled={disabled}
        onChange={(event) => set(event.target.value)}
      />
    </label>
  )
}
