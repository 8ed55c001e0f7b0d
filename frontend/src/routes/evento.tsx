import { useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { eventArt } from '../art/event-art'
import { Plate } from '../art/plate'
import { buttonClasses } from '../components/button-classes'
import { Skeleton } from '../components/skeleton'
import { site } from '../content/sitio'
import { Actions } from '../features/events/actions'
import { EventFacts } from '../features/events/event-facts'
import { EventImage } from '../features/events/event-parts'
import { MoreEvents } from '../features/events/more-events'
import { tEvent } from '../i18n/es-events'
import { shortDate, toLocal } from '../lib/dates'
import { eventData } from '../lib/event-data'
import { whenLine, type PublicEvent } from '../lib/event'
import { DAYS, weekday } from '../lib/grid'
import { useEvents } from '../lib/use-events'
import { setMeta } from '../lib/use-meta'
import { idOf } from '../pages'
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
    }
  }, [event])
}

/** The assumed duration of an event (F-701), in milliseconds. */
const LENGTH_MS = 120 * 60_000

/** The length from which a title has a smaller font, so that the content below it stays visible. */
const LONG_TITLE = 70

/** Whether an event was over when its page was opened. */
function useOver({ moment }: PublicEvent): boolean {
  const [now] = useState(() => Date.now())
  return moment !== null && moment.getTime() + LENGTH_MS < now
}

/** The title, the time, and the first action. */
function Heading({ event }: { event: PublicEvent }) {
  const over = useOver(event)
  const day = toLocal(event.moment)?.date
  // The visible date may be the record's own text (D-28): the weekday is shown only if the dates are equal.
  const named = day && shortDate(day) === event.date
  return (
    <div className="flex flex-col items-start gap-5">
      <Link to="/calendario" className="no-imprimir enlace -mb-2 inline-flex min-h-11 items-center">
        {tEvent.seeCalendar}
      </Link>
      <h1 className={`${event.title.length > LONG_TITLE ? 'titulo-2' : 'titulo-1'} wrap-anywhere`}>{event.title}</h1>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="text-acento flex flex-wrap gap-x-2 text-xl font-semibold">
          {named ? <span className="first-letter:uppercase">{DAYS[weekday(day)]}</span> : null}
          <span>{whenLine(event)}</span>
        </p>
        {over ? <p className="etiqueta">{tEvent.finished}</p> : null}
      </div>
      <Actions event={event} past={over} />
    </div>
  )
}

/** The complete event, and the next ones. */
function EventPage({ event }: { event: PublicEvent }) {
  useData(event)
  return (
    <>
      <article className="contenedor grid gap-x-16 gap-y-8 pt-6 pb-12 md:pt-12 md:pb-20 lg:grid-cols-[minmax(0,1.1fr)_minmax(0,1fr)] lg:grid-rows-[auto_1fr]">
        <Heading event={event} />
        <div className="grid content-start gap-8 lg:row-span-2">
          <EventImage
            event={event}
            sizes="(min-width: 1024px) 40rem, 100vw"
            className="border-borde w-full rounded-sm border-2"
            fallback={<Plate slot={eventArt(event)} ink="mar" className="mr-2" />}
          />
          <EventFacts event={event} />
        </div>
        {event.description ? <p className="max-w-prose text-lg wrap-anywhere whitespace-pre-line">{event.description}</p> : null}
      </article>
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
  const state = useEvents({ id })
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
