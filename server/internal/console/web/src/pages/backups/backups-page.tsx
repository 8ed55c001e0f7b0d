import { loadBackups } from '../../api/backups'
import { useText } from '../../i18n/text'
import { bytesText } from '../../lib/bytes'
import { durationText } from '../../lib/duration'
import { useLoad } from '../../lib/use-load'
import { Moment } from '../../ui/moment'
import { PageHead } from '../../ui/page-head'
import { Empty, Loaded } from '../../ui/states'
import { ListTable } from '../../ui/table'

/** The scheduled backups: when they are made, when one was last restored for trial, and which are kept. */
export default function BackupsPage() {
  const { t, number, time, language } = useText()
  const { state, reload } = useLoad('backups', loadBackups)
  const trialOf = ({ backup, second }: { backup: string; second: string }) => t.backups.trialOf(backup, second && time(second))
  return (
    <div className="page">
      <PageHead title={t.pages.backups} reload={reload} />
      <Loaded state={state} reload={reload} rows={8}>
        {({ place, everySec, proveSec, proof, failures, unproved, failure, count, backups, log }) => (
          <div className="stack">
            {failure !== '' && (
              <p role="alert" className="bad wrap">
                {t.backups.failed} <span lang="en">{failure}</span>
              </p>
            )}
            <dl className="facts">
              <dt>{t.backups.place}</dt>
              <dd className="mono wrap">{place}</dd>
              <dt>{t.backups.every}</dt>
              <dd>{durationText(everySec, language)}</dd>
              <dt>{t.backups.prove}</dt>
              <dd>{proveSec > 0 ? durationText(proveSec, language) : t.backups.never}</dd>
              <dt>{t.backups.proved}</dt>
              <dd>
                {!proof?.backup ? (
                  t.backups.notYet
                ) : (
                  <>
                    <Moment iso={proof.time} /> {trialOf(proof)}
                  </>
                )}
              </dd>
              {proof?.failed && (
                <>
                  <dt>{t.backups.trialFailed}</dt>
                  <dd className="bad wrap">
                    <Moment iso={proof.failed.time} /> {trialOf(proof.failed)}: <span lang="en">{proof.failed.reason}</span>
                  </dd>
                </>
              )}
              {log && log.shipped !== '' && (
                <>
                  <dt>{t.backups.shipped}</dt>
                  <dd>
                    <Moment iso={log.shipped} />
                  </dd>
                </>
              )}
              <dt>{t.backups.failures}</dt>
              <dd>{number(failures)}</dd>
              <dt>{t.backups.unproved}</dt>
              <dd>{number(unproved)}</dd>
            </dl>
            {backups.length === 0 ? (
              <Empty>{t.backups.none}</Empty>
            ) : (
              <ListTable label={t.pages.backups} heads={[t.audit.time, t.backups.name, t.backups.size, t.backups.state]}>
                {backups.map((backup) => (
                  <tr key={backup.name}>
                    <td className="tight">
                      <Moment iso={backup.time} />
                    </td>
                    <td className="mono tight">{backup.name}</td>
                    <td className="tight">{bytesText(backup.bytes, number)}</td>
                    <td className={backup.damage === '' ? 'state' : 'wrap'}>
                      {backup.damage !== '' ? (
                        <span className="bad" lang="en">
                          {backup.damage}
                        </span>
                      ) : (
                        <span className={`tag ${backup.proved ? 'good' : ''}`}>
                          {backup.proved ? t.backups.restored : t.backups.complete}
                        </span>
                      )}
                    </td>
                  </tr>
                ))}
              </ListTable>
            )}
            {count > backups.length && <p className="soft small">{t.backups.more(number(count - backups.length))}</p>}
          </div>
        )}
      </Loaded>
    </div>
  )
}
