import { tCalendar } from '../../i18n/es-calendar'
import { DAYS, weekday } from '../../lib/grid'
import type { PublicEvent } from '../../lib/event'
import { publicPrice } from '../../lib/money'
import { toLocal } from '../../lib/dates'
import type { Calendar } from './use-calendar'

type Props = { events: PublicEvent[]; calendar: Calendar; loading: boolean }

/** The replacement for buttons on paper: all events of the month or the week, by day (P-18). */
export function PrintedAgenda({ events, calendar: { view, date }, loading }: Props) {
  const month = date.slice(0, 7)
  const lines = events.flatMap((event) => {
    const day = toLocal(event.moment)?.date
    return day && (view === 'semana' || day.startsWith(month)) ? [{ event, day }] : []
  })
  if (lines.length === 0) return loading ? null : <p className="mt-4">{tCalendar.noPrintedEvents}</p>
  return (
    <ul className="agenda-impresa">
      {lines.map(({ event, day }) => (
        <li key={event.id}>
          <p className="agenda-cuando">
            {DAYS[weekday(day)]} {Number(day.slice(8))} · {event.time}
          </p>
          <p className="agenda-titulo">{event.title}</p>
          <p className="agenda-lugar">{[event.place, event.artist, publicPrice(event.price)].filter(Boolean).join(' · ')}</p>
        </li>
      ))}
    </ul>
  )
}
