import { useMemo } from 'react'
import { Link } from '../../components/link'
import { rowsOf } from '../../admin/data/live'
import { usePanelData } from '../../admin/data/panel-data'
import { useCount } from '../../admin/data/use-count'
import type { Condition } from '../../firebase/panel'
import { es } from '../../i18n/es-admin'
import { toLocal, shortDate, dateAndTime, DASH } from '../../lib/dates'
import { useLastVisit } from './last-visit'
import { type Recent, WEEKS } from './use-recent'
import { byWeek } from './weeks'

/** The statuses of forms in progress. All others are new, including forms without status. */
const BEGUN: Condition = ['status', 'in', ['in-progress', 'resolved', 'discarded']]

/** The number of new forms, which the server counts again whenever the occasion changes. */
function useWaiting(name: string, occasion: unknown): number | null {
  const all = useCount(name, undefined, occasion)
  const begun = useCount(name, BEGUN, occasion)
  return all === null || begun === null ? null : all - begun
}

/** A new object whenever one of the parts changes, because the counts may have changed. */
function useOccasion(...parts: readonly unknown[]): object {
  // oxlint-disable-next-line react/exhaustive-deps
  return useMemo(() => ({ parts }), parts)
}

/** A summary of new forms, and of those since the last visit (P-17). */
export function Summary({ recent, now }: { recent: Recent; now: Date }) {
  const panel = usePanelData()
  const { summary } = es
  const ahead = useCount('MusicEvent', ['eventDate', '>=', now], panel.events)
  const messages = useWaiting('ContactRequests', useOccasion(recent.contacts, panel.contacts))
  const volunteers = useWaiting('voluntaryAplications', useOccasion(recent.volunteers, panel.volunteers))
  const rentals = useWaiting('IntrumentRental', useOccasion(recent.rentals, panel.rentals))
  const subscriptions = useCount('Massive Boletin', undefined, useOccasion(recent.subscriptions, panel.subscriptions))
  const moments = Object.values(recent).flatMap((live) => rowsOf<{ createdAt: Date | null }>(live).map((row) => row.createdAt))
  return (
    <section aria-label={summary.name} className="panel-resumen">
      <Figure to="eventos" state="proximos" name={summary.events} value={ahead} />
      <Figure to="contactos" state="new" name={summary.messages} value={messages} />
      <Figure
        to="voluntarios"
        state="new"
        name={summary.applications}
        value={volunteers === null || rentals === null ? null : volunteers + rentals}
      />
      <Figure to="boletin" name={summary.subscriptions} value={subscriptions} />
      <div>
        <WeekBars moments={moments} now={now} />
        <SinceLastVisit uid={panel.me.uid} moments={moments} />
      </div>
    </section>
  )
}

/** The number of forms since the user's previous visit on this device. */
function SinceLastVisit({ uid, moments }: { uid: string; moments: readonly (Date | null)[] }) {
  const last = useLastVisit(uid)
  if (!last) return null
  const came = moments.filter((moment) => moment !== null && moment > last).length
  return came > 0 ? <p className="font-semibold">{es.summary.newSince(came, dateAndTime(last))}</p> : null
}

/** One number, or a dash while it is unknown. */
function Figure({ to, state, name, value }: { to: string; state?: string; name: string; value: number | null }) {
  const query = new URLSearchParams({ tab: to, ...(state ? { estado: state } : {}) })
  return (
    <Link to={{ search: `?${query}` }} replace preventScrollReset className="block">
      <span className="panel-cifra block">{value ?? DASH}</span>
      <span className="ayuda">{name}</span>
    </Link>
  )
}

function WeekBars({ moments, now }: { moments: readonly (Date | null)[]; now: Date }) {
  const weeks = byWeek(moments, now, WEEKS)
  const most = Math.max(1, ...weeks.map((week) => week.count))
  return (
    <>
      <ul className="panel-semanas">
        {weeks.map(({ start, count: n }) => {
          const text = es.summary.week(shortDate(toLocal(start)?.date ?? ''), n)
          return (
            <li key={start.getTime()} title={text} style={{ height: `${(100 * n) / most}%` }}>
              <span className="sr-only">{text}</span>
            </li>
          )
        })}
      </ul>
      <p className="ayuda">{es.summary.weeks}</p>
    </>
  )
}
