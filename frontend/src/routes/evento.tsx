import { useEffect, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { Link } from '../components/link'
import { eventArt } from '../art/event-art'
import { buttonClasses } from '../components/button-classes'
import { Skeleton } from '../components/skeleton'
import { site } from '../content/sitio'
import { Actions } from '../features/events/actions'
import { EventFact, PlaceFact } from '../features/event-page/event-fact'
import { EventDescription, EventLayout, EventTitle, EventWhen, LONG_TITLE } from '../features/event-page/event-layout'
import { EventPicture } from '../features/event-page/event-picture'
import { MoreEvents } from '../features/events/more-events'
import { tEvent } from '../i18n/es-events'
import { shortDate, toLocal } from '../lib/dates'
import { eventData } from '../lib/event-data'
import { whenLine, type PublicEvent } from '../lib/event'
import { DAYS, weekday } from '../lib/grid'
import { publicPrice } from '../lib/money'
import { forgetServedEvent, servedEvent } from '../lib/served-event'
import { useEvents } from '../lib/use-events'
import { afterPaint } from '../lib/when'
import { useHydrated } from '../lib/use-hydrated'
import { setMeta } from '../lib/use-meta'
import { idOf } from '../paths'
import NotFound from './no-encontrada'

/** Sets the event's metadata while its page is shown. */
function useData(event: PublicEvent) {
  useEffect(() => {
    const description = `${whenLine(event)}. ${event.description || site.name}`.slice(0, 160)
    const hush = setMeta(() => ({ title: `${event.title.slice(0, 56)} · Evento`, description, index: true }))
    // A page from the back office already contains them.
    const snapshot = document.getElementById('datos-evento') ?? document.createElement('script')
    snapshot.setAttribute('type', 'application/ld+json')
    snapshot.textContent = JSON.stringify(eventData(event, location.href))
    document.head.append(snapshot)
    return () => {
      hush()
      snapshot.remove()
      forgetServedEvent()
    }
  }, [event])
}

/** The assumed duration of an event (F-701), in milliseconds. */
const LENGTH_MS = 120 * 60_000

/** Whether an event was over when its page was opened. The first rendering is that of the HTML, which may be some time old. */
function useOver({ id, moment }: PublicEvent): boolean {
  const [now] = useState(() => Date.now())
  const hydrated = useHydrated()
  const over = moment !== null && moment.getTime() + LENGTH_MS < now
  return hydrated ? over : (servedEvent(id)?.over ?? over)
}

/** The weekday of an event. The visible date may be the record's own text (D-28): the weekday is shown only if the dates are equal. */
function weekdayOf({ moment, date }: PublicEvent): string | null {
  const day = toLocal(moment)?.date
  return day && shortDate(day) === date ? (DAYS[weekday(day)] ?? null) : null
}

/** The complete event, and the next ones. */
function EventPage({ event }: { event: PublicEvent }) {
  useData(event)
  const over = useOver(event)
  const price = publicPrice(event.price)
  return (
    <>
      <EventLayout
        title={<EventTitle title={event.title} long={event.title.length > LONG_TITLE} />}
        when={<EventWhen weekday={weekdayOf(event)} line={whenLine(event)} over={over} />}
        actions={<Actions event={event} past={over} />}
        picture={<EventPicture event={event} drawing={eventArt(event)} />}
        facts={
          <>
            <PlaceFact place={event.place} />
            {price ? <EventFact name={tEvent.price} text={price} /> : null}
            {event.artist ? <EventFact name={tEvent.artist} text={event.artist} /> : null}
          </>
        }
        description={event.description ? <EventDescription text={event.description} /> : null}
      />
      <MoreEvents shown={event.id} />
    </>
  )
}

/** /eventos/:id: one event, at an address that can be shared (P-02). */
export default function EventPageBody() {
  const id = idOf(useLocation().pathname)
  // No event has such an id. Nothing is requested.
  return isName(id) ? <EventOf id={id} /> : <Withdrawn />
}

/** The page of an event that was deleted or never existed, which search engines must not index. */
function Withdrawn() {
  useEffect(() => setMeta((META) => META['*']), [])
  return <NotFound text={tEvent.doesNotExist} />
}

/** Whether a document may have this id, according to Firestore's rules. */
function isName(id: string): boolean {
  return !id.includes('/') && !/^(?:\.\.?|__.*__)$/.test(id) && new TextEncoder().encode(id).length <= 1500
}

/** The page of an event by its id, in all states of loading. */
function EventOf({ id }: { id: string }) {
  const state = useEvents({ id }, afterPaint, servedEvent(id)?.event)
  if (state.phase === 'loading') return <Skeleton />
  const event = state.phase === 'ready' ? state.events[0] : undefined
  if (event) return <EventPage event={event} />
  if (state.phase === 'ready' && state.confirmed) return <Withdrawn />
  return (
    <div className="contenedor py-20" role="alert">
      <h1 className="titulo-1">{tEvent.title}</h1>
      <p className="entrada mt-5 mb-7">{tEvent.failure}</p>
      <Link to="/calendario" className={buttonClasses()}>
        {tEvent.seeCalendar}
      </Link>
    </div>
  )
}
