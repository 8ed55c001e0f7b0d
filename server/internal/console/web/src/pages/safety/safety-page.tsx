import { useState } from 'react'
import { type Check, loadSafety, sendTestMail } from '../../api/operations'
import { useText } from '../../i18n/text'
import { bytesText } from '../../lib/bytes'
import { useAction } from '../../lib/use-action'
import { useLoad } from '../../lib/use-load'
import { useSession } from '../../session'
import { PageHead } from '../../ui/page-head'
import { Loaded, Problem } from '../../ui/states'
import { Tile, Tiles } from '../../ui/tiles'
import { useToast } from '../../ui/toasts'

const TONES = { bad: 'bad', warn: 'warn', unknown: undefined, ok: 'good' } as const
/** The results, the worst first. */
const STATES = ['bad', 'warn', 'unknown', 'ok'] as const

/** The checks of a production server, the worst results first. */
export default function SafetyPage() {
  const { t } = useText()
  const { write } = useSession()
  const { state, reload } = useLoad('safety', loadSafety)
  const titles: Record<string, string> = t.safety.checks
  return (
    <div className="page">
      <PageHead title={t.pages.safety} reload={reload} />
      <Loaded state={state} reload={reload} rows={9}>
        {({ checks }) => (
          <>
            <Summary checks={checks} />
            <ul className="list checks-list">
              {checks
                .toSorted((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state))
                .map((check) => (
                  <li key={check.id}>
                    <span className={`tag ${TONES[check.state] ?? ''}`}>{t.safety.states[check.state]}</span>
                    <strong>{titles[check.id] ?? check.id}</strong>
                    <Sentence check={check} />
                  </li>
                ))}
            </ul>
          </>
        )}
      </Loaded>
      {write && <TestMail />}
    </div>
  )
}

/** How many checks have each result, the worst first. */
function Summary({ checks }: { checks: Check[] }) {
  const { t, number } = useText()
  return (
    <Tiles>
      {STATES.map((state) => {
        const n = checks.filter((check) => check.state === state).length
        return (
          n > 0 && (
            <Tile key={state} name={t.safety.states[state]} tone={TONES[state]}>
              {number(n)}
            </Tile>
          )
        )
      })}
    </Tiles>
  )
}

/** The result of a check in the page's language if it has a text, otherwise the server's text. */
function Sentence({ check: { id, case: kind, text, values } }: { check: Check }) {
  const { t, number, time } = useText()
  const sentence = t.safety.texts[`${id}.${kind}`]
  if (!sentence)
    return (
      <span className="wrap" lang="en">
        {text}
      </span>
    )
  const shown = (name: string, value: string | number | boolean | null): string => {
    if (name === 'used' || name === 'free' || name === 'bytes') return bytesText(Number(value), number)
    if (name === 'until' || name === 'second') return time(String(value))
    return typeof value === 'number' ? number(value) : String(value)
  }
  return (
    <span className="wrap">{sentence(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shown(name, value)])))}</span>
  )
}

/** Sends a test e-mail. */
function TestMail() {
  const { t, language } = useText()
  const [to, setTo] = useState('')
  const { busy, error, run } = useAction()
  const toast = useToast()
  const submit = async () => {
    await sendTestMail(to, language)
    toast(t.safety.testSent)
  }
  return (
    <form
      className="stack"
      aria-label={t.safety.testMail}
      onSubmit={(event) => {
        event.preventDefault()
        void run(submit)
      }}
    >
      <h2>{t.safety.testMail}</h2>
      <div className="row">
        <input
          type="email"
          required
          value={to}
          aria-label={t.safety.testTo}
          placeholder={t.users.email}
          onChange={(event) => setTo(event.target.value)}
        />
        <button type="submit" className="button" disabled={busy}>
          {t.safety.testMail}
        </button>
      </div>
      {error !== null && <Problem error={error} />}
    </form>
  )
}
