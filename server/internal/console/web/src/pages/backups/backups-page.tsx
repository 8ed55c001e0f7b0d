import { type Backups, loadBackups } from '../../api/backups'
import { useText } from '../../i18n/text'
import { bytesText } from '../../lib/bytes'
import { durationText } from '../../lib/duration'
import { useLoad } from '../../lib/use-load'
import { Moment, MomentSince, Since } from '../../ui/moment'
import { PageHead } from '../../ui/page-head'
import { Empty, Loaded } from '../../ui/states'
import { ListTable } from '../../ui/table'
import { Tile, Tiles } from '../../ui/tiles'

/** The scheduled backups: when they are made, when one was last restored for trial, and which are kept. */
export default function BackupsPage() {
  const { t, number } = useText()
  const { state, reload } = useLoad('backups', loadBackups)
  return (
    <div className="page">
      <PageHead title={t.pages.backups} reload={reload} />
      <Loaded state={state} reload={reload} rows={8}>
        {(all) => (
          <div className="stack">
            {all.failure !== '' && (
              <p role="alert" className="notice bad">
                <strong className="bad">{t.backups.failed}</strong> <span lang="en">{all.failure}</span>
              </p>
            )}
            <Summary all={all} />
            <Schedule all={all} />
            {all.backups.length === 0 ? <Empty icon="backups">{t.backups.none}</Empty> : <BackupsTable backups={all.backups} />}
            {all.count > all.backups.length && <p className="soft small">{t.backups.more(number(all.count - all.backups.length))}</p>}
          </div>
        )}
      </Loaded>
    </div>
  )
}

/** The name of the backup that was restored for trial, with the second up to which the log was restored. */
function useTrialText() {
  const { t, time } = useText()
  return ({ backup, second }: { backup: string; second: string }) => t.backups.trialOf(backup, second && time(second))
}

/** What an operator wants to know first: how old the last backup is, whether one can be restored, and what has failed. */
function Summary({ all: { backups, proof, failures, unproved, failure, log } }: { all: Backups }) {
  const { t, number } = useText()
  const trialText = useTrialText()
  const [last] = backups
  return (
    <Tiles>
      <Tile
        name={t.backups.last}
        tone={failure !== '' || (last && last.damage !== '') ? 'bad' : last ? 'good' : undefined}
        foot={last && bytesText(last.bytes, number)}
      >
        {last ? <Since iso={last.time} /> : t.backups.notYet}
      </Tile>
      <Tile
        name={t.backups.proved}
        tone={proof?.failed ? 'bad' : proof?.backup ? 'good' : undefined}
        foot={proof?.backup ? trialText(proof) : undefined}
      >
        {proof?.backup ? <Since iso={proof.time} /> : t.backups.notYet}
      </Tile>
      {log && log.shipped !== '' && (
        <Tile name={t.backups.shipped} foot={<Since iso={log.shipped} />}>
          <Moment iso={log.shipped} />
        </Tile>
      )}
      <Tile name={t.backups.failures} tone={failures > 0 ? 'bad' : undefined}>
        {number(failures)}
      </Tile>
      <Tile name={t.backups.unproved} tone={unproved > 0 ? 'bad' : undefined}>
        {number(unproved)}
      </Tile>
    </Tiles>
  )
}

/** Where backups are kept and how often they are made and restored for trial, and the last trial restore that failed. */
function Schedule({ all: { place, everySec, proveSec, proof } }: { all: Backups }) {
  const { t, language } = useText()
  const trialText = useTrialText()
  return (
    <dl className="facts">
      <dt>{t.backups.place}</dt>
      <dd className="mono wrap">{place}</dd>
      <dt>{t.backups.every}</dt>
      <dd>{durationText(everySec, language)}</dd>
      <dt>{t.backups.prove}</dt>
      <dd>{proveSec > 0 ? durationText(proveSec, language) : t.backups.never}</dd>
      {proof?.failed && (
        <>
          <dt>{t.backups.trialFailed}</dt>
          <dd className="bad wrap">
            <Moment iso={proof.failed.time} /> {trialText(proof.failed)}: <span lang="en">{proof.failed.reason}</span>
          </dd>
        </>
      )}
    </dl>
  )
}

/** The backups, the newest first. */
function BackupsTable({ backups }: Pick<Backups, 'backups'>) {
  const { t, number } = useText()
  return (
    <ListTable label={t.pages.backups} heads={[t.audit.time, t.backups.name, { text: t.backups.size, as: 'number' }, t.backups.state]}>
      {backups.map((backup) => (
        <tr key={backup.name}>
          <td className="tight">
            <MomentSince iso={backup.time} />
          </td>
          <td className="mono tight">{backup.name}</td>
          <td className="number" data-head={t.backups.size}>
            {bytesText(backup.bytes, number)}
          </td>
          <td className={backup.damage === '' ? 'state' : 'wrap'}>
            {backup.damage !== '' ? (
              <span className="bad" lang="en">
                {backup.damage}
              </span>
            ) : (
              <span className={`tag ${backup.proved ? 'good' : ''}`}>{backup.proved ? t.backups.restored : t.backups.complete}</span>
            )}
          </td>
        </tr>
      ))}
    </ListTable>
  )
}
