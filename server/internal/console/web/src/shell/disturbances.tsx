import { Link } from 'react-router-dom'
import type { LabState } from '../api/operations'
import { type Language, useText } from '../i18n/text'
import type { Messages } from '../i18n/en'
import { durationText } from '../lib/duration'
import { pagePath, type Scope } from '../lib/scope'

/** The active effects of the lab, as sentences. */
function disturbances({ clock, faults }: LabState, t: Messages, language: Language, number: (n: number) => string): string[] {
  const all: string[] = []
  if (clock && clock.ahead > 0) all.push(t.lab.clockOn(durationText(clock.ahead, language)))
  if (faults) {
    const what = [faults.delay > 0 && t.lab.faultDelay(number(faults.delay)), faults.error && t.lab.faultError(faults.error)]
    all.push(t.lab.faultsOn(faults.percent, t.lab.kinds[faults.calls], what.filter((one) => one).join(t.lab.and)))
  }
  return all
}

/** A banner on every page while the lab affects the server, with a link to the lab. */
export function Disturbances({ state, scope }: { state: LabState; scope: Scope }) {
  const { t, language, number } = useText()
  const all = disturbances(state, t, language, number)
  if (all.length === 0) return null
  return (
    <div className="banner" role="status">
      {all.map((text) => (
        <span key={text}>{text}</span>
      ))}
      <Link to={pagePath('lab', scope)}>{t.pages.lab}</Link>
    </div>
  )
}
