import { loadTriggers, retryTrigger, type Trigger } from '../../api/deliveries'
import { useText } from '../../i18n/text'
import { useAction } from '../../lib/use-action'
import { useEvery } from '../../lib/use-every'
import { useLoad } from '../../lib/use-load'
import { useSession } from '../../session'
import { MomentSince } from '../../ui/moment'
import { PageHead } from '../../ui/page-head'
import { Empty, Loaded, Problem } from '../../ui/states'
import { ListTable } from '../../ui/table'
import { Tile, Tiles } from '../../ui/tiles'
import { useToast } from '../../ui/toasts'

const EVERY_MS = 5000

/** The deliveries of events: each trigger, what waits for a retry, and the dead letters. */
export default function EventsPage() {
  const { t } = useText()
  const { state, reload } = useLoad('events', loadTriggers)
  useEvery(reload, EVERY_MS, true)
  return (
    <div className="page">
      <PageHead title={t.pages.events} reload={reload} />
      <p className="soft">{t.events.hint}</p>
      <Loaded state={state} reload={reload} rows={6}>
        {({ triggers }) =>
          triggers.length === 0 ? (
            <Empty icon="events">{t.events.none}</Empty>
          ) : (
            <div className="stack">
              {triggers.map((trigger) => (
                <TriggerSection key={trigger.name} trigger={trigger} reload={reload} />
              ))}
            </div>
          )
        }
      </Loaded>
    </div>
  )
}

/** A trigger: its counts, its last error and its dead letters. */
function TriggerSection({ trigger, reload }: { trigger: Trigger; reload: () => void }) {
  const { t, number } = useText()
  const { write } = useSession()
  const { busy, error, run } = useAction()
  const toast = useToast()
  const retry = async () => {
    await retryTrigger(trigger.name)
    toast(t.events.retried(trigger.name))
    reload()
  }
  const { dead, letters } = trigger
  const counts = [
    [t.events.delivered, trigger.delivered, 'good'],
    [t.events.pending, trigger.pending, undefined],
    [t.events.waiting, trigger.waiting, 'warn'],
    [t.events.dead, dead, 'bad'],
    [t.events.lost, trigger.lost, 'bad'],
  ] as const
  return (
    <section className="card" aria-label={trigger.name}>
      <div className="row">
        <h2>{trigger.name}</h2>
        <span className={`tag ${dead > 0 || trigger.lost > 0 ? 'bad' : trigger.waiting > 0 ? 'warn' : 'good'}`}>
          {dead > 0 || trigger.lost > 0 ? t.events.failing : trigger.waiting > 0 ? t.events.late : t.events.fine}
        </span>
        {write && dead + trigger.waiting > 0 && (
          <button type="button" className="button push" disabled={busy} onClick={() => void run(retry)}>
            {t.events.retry}
          </button>
        )}
      </div>
      <p className="mono wrap soft">
        {trigger.database} → {trigger.target || t.events.noTarget}
      </p>
      <Tiles>
        {counts.map(([name, n, tone]) => (
          <Tile key={name} name={name} tone={n > 0 ? tone : undefined}>
            {number(n)}
          </Tile>
        ))}
      </Tiles>
      {error !== null && <Problem error={error} />}
      {trigger.error !== '' && (
        <div className="notice bad">
          <span>
            <strong className="bad">{t.events.lastError}</strong> {trigger.errorAt !== '' && <MomentSince iso={trigger.errorAt} />}
          </span>
          <span className="mono wrap" lang="en">
            {trigger.error}
          </span>
        </div>
      )}
      {letters.length > 0 && (
        <>
          <ListTable
            label={`${trigger.name}: ${t.events.dead}`}
            heads={[t.events.event, t.data.document, t.events.since, { text: t.events.attempts, as: 'number' }, t.events.lastError]}
          >
            {letters.map((letter) => (
              <tr key={letter.id}>
                <td className="tight">
                  <span className="tag mono">{letter.type.split('.').slice(-2).join('.')}</span>
                </td>
                <td className="mono wrap">{letter.document}</td>
                <td className="tight">
                  <MomentSince iso={letter.since} />
                </td>
                <td className="number" data-head={t.events.attempts}>
                  {number(letter.attempts)}
                </td>
                <td className="mono wrap" lang="en">
                  {letter.error}
                </td>
              </tr>
            ))}
          </ListTable>
          {dead > letters.length && <p className="soft small">{t.events.more(number(dead - letters.length))}</p>}
        </>
      )}
    </section>
  )
}
