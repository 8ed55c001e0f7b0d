import { es } from '../../i18n/es-admin'
import { strengthOf } from './strength'

/** The strength of the password: a bar, a word, and how to improve it. */
export function StrengthMeter({ password }: { password: string }) {
  const { label, percent, score, missing } = strengthOf(password)
  return (
    <div className="grid gap-2">
      <div className="flex justify-between">
        <span>{es.access.strength}</span>
        <strong>{label}</strong>
      </div>
      <div
        role="meter"
        aria-label={es.access.meter}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={label || es.access.notTyped}
        className="panel-medidor"
        data-nivel={Math.max(1, Math.min(4, score))}
      >
        <span style={{ width: `${percent}%` }} />
      </div>
      {missing.length > 0 ? (
        <ul className="ayuda flex flex-wrap gap-x-4">
          {missing.map((suggestion) => (
            <li key={suggestion}>{suggestion}</li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
