import { Link } from '../../components/link'
import { eventArt } from '../../art/event-art'
import { SlotImage } from '../../art/slot-image'
import { buttonClasses } from '../../components/button-classes'
import { Empty } from '../../components/empty'
import { tCalendar } from '../../i18n/es-calendar'
import { tEvent } from '../../i18n/es-events'
import { DASH, today as todayOf } from '../../lib/dates'
import { DAYS, longDay, weekday } from '../../lib/grid'
import { whenLine, type PublicEvent } from '../../lib/event'
import { GoogleLink } from '../events/actions'
import { EventBody, PlaceLink, EventImage } from '../events/event-parts'

/** The picture of an event, or the drawing for its title. A day with several events shows one drawing. */
function Picture({ event, drawn }: { event: PublicEvent; drawn: boolean }) {
  if (!event.image && !drawn) return null
  return (
    <div className="border-borde -mx-4 -mt-4 mb-1 aspect-[16/9] overflow-hidden border-b-2 sm:-mx-5 sm:-mt-5">
      <EventImage
        event={event}
        sizes="(min-width: 1024px) 400px, 100vw"
        className="size-full"
        fallback={<SlotImage slot={eventArt(event)} sizes="(min-width: 1024px) 400px, 100vw" className="size-full object-cover" />}
      />
    </div>
  )
}

/** The details of an event beside the days (F-236, F-237). Its title is a link to its page. */
function EventSheet({ event, drawn = true }: { event: PublicEvent; drawn?: boolean }) {
  return (
    <>
      <Picture event={event} drawn={drawn} />
      <p className="text-acento font-semibold">{whenLine(event)}</p>
      <h3 className="titulo-3 wrap-anywhere">
        <Link to={`/eventos/${encodeURIComponent(event.id)}`} className="enlace-titulo">
          {event.title}
        </Link>
      </h3>
      <EventBody event={event} />
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <GoogleLink event={event} text={tEvent.addToGoogle} className={buttonClasses('primario')} />
        <PlaceLink place={event.place} />
      </div>
    </>
  )
}

type Props = {
  day: string | null
  /** The events of the visible range by their day; null if they stand elsewhere, so that only a selected day is shown. */
  byDay: ReadonlyMap<string, PublicEvent[]> | null
  onChoose: (day: string) => void
}

/** The time and the place of an event, as far as they are known. */
function Detail({ event: { time, place } }: { event: PublicEvent }) {
  const known = [time, place].filter((text) => text && text !== DASH).join(' · ')
  return known ? (
    <>
      <span className="sr-only">, </span>
      <span className="agenda-detalle">{known}</span>
    </>
  ) : null
}

/** The days of the range that have events, as buttons that select them. */
function DaysWithEvents({ byDay, onChoose }: { byDay: ReadonlyMap<string, PublicEvent[]>; onChoose: Props['onChoose'] }) {
  const today = todayOf()
  return (
    <>
      <h2 className="titulo-3 mb-4">{tCalendar.daysWithEvents}</h2>
      <ul className="agenda">
        {[...byDay].map(([day, events]) => (
          <li key={day}>
            <button type="button" className="agenda-dia" data-pasado={day < today || undefined} onClick={() => onChoose(day)}>
              <span className="agenda-fecha" aria-hidden="true">
                <b>{Number(day.slice(8))}</b>
                {DAYS[weekday(day)]?.slice(0, 3)}
              </span>
              <span className="sr-only">{longDay(day)}: </span>
              <span className="grid min-w-0 gap-1.5 wrap-anywhere">
                {events.map((event) => (
                  <span key={event.id}>
                    {event.title}
                    <Detail event={event} />
                  </span>
                ))}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The events of the selected day (F-235). Without a selection, the days that have events, or a hint to select one. */
export function ChosenDay({ day, byDay, onChoose }: Props) {
  const events = (day && byDay?.get(day)) || []
  return (
    <div aria-live="polite" className={`calendario-lado ${byDay ? 'min-h-40' : 'sr-only'}`}>
      {day ? (
        <>
          <h2 className="titulo-3 mb-4">{tCalendar.eventsOfDay(longDay(day))}</h2>
          {events.length > 0 ? (
            <ul className="grid gap-5">
              {events.map((event, i) => (
                <li key={event.id}>
                  <article className="marco gap-3 p-4 sm:p-5">
                    <EventSheet event={event} drawn={i === 0} />
                  </article>
                </li>
              ))}
            </ul>
          ) : (
            <Empty>{tCalendar.noEventsOnDay}</Empty>
          )}
        </>
      ) : !byDay ? null : byDay.size > 0 ? (
        <DaysWithEvents byDay={byDay} onChoose={onChoose} />
      ) : (
        <Empty>{tCalendar.help}</Empty>
      )}
    </div>
  )
}
