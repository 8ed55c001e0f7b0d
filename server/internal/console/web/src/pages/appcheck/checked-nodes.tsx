import type { CheckedNode } from '../../api/app-check'
import { useText } from '../../i18n/text'
import { Moment } from '../../ui/moment'

/** The nodes whose requests are counted together, and those that did not answer, whose requests are missing. */
export function CheckedNodes({ nodes }: { nodes: CheckedNode[] }) {
  const { t } = useText()
  const missing = nodes.filter(({ error }) => error !== '')
  return (
    <>
      {missing.length > 0 && (
        <div className="notice warn" role="alert">
          <strong>{t.appcheck.incomplete}</strong>
          {missing.map(({ name, error }) => (
            <span key={name} className="wrap">
              {name}: {error}
            </span>
          ))}
        </div>
      )}
      <div className="soft small">
        <p>{t.appcheck.sinceOfNodes}</p>
        <ul aria-label={t.appcheck.nodes}>
          {nodes
            .filter(({ error }) => error === '')
            .map(({ name, since }) => (
              <li key={name} className="wrap">
                {name}: <Moment iso={since} />
              </li>
            ))}
        </ul>
      </div>
    </>
  )
}
