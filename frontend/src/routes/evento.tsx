import { useEffect } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { eventArt } from '../art/event-art'
import { Plate } from '../art/plate'
import { buttonClasses } from '../components/button-classes'
import { Skeleton } from '../components/skeleton'
import { site } from '../content/sitio'
import { Actions } from '../features/events/actions'
import { Boxes } from '../features/events/boxes'
import { EventBody, PlaceLink, EventImage } from '../features/events/event-parts'
import { tEvent } from '../i18n/es-events'
import { eventData } from '../lib/event-data'
import { whenLine, type PublicEvent } from '../lib/event'
import { useEvents } from '../lib/use-events'
import { say } from '../lib/use-meta'
import { idOf } from '../pages'
import NotFound from './no-encontrada'

/** Tells the head and search engines of the event while its page is shown. */
function useData(event: PublicEvent) {
  useEffect(() => {
    const description = `${whenLine(event)}. ${event.description || site.name}`.slice(0, 160)
    const hush = say(() => ({ title: `${event.title.slice(0, 56)} · Evento`, description, index: true }))
    // A page that came from the back office says it already.
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

/** The event, whole. */
function EventPage({ event }: { event: PublicEvent }) {
  useData(event)
  return (
    <article className="contenedor grid gap-10 py-10 md:py-16 lg:grid-cols-[1.1fr_1fr] lg:items-start lg:gap-16">
      <div className="flex flex-col items-start gap-6">
        <Link to="/calendario" className="no-imprimir enlace -mb-3 inline-flex min-h-11 items-center">
          {tEvent.seeCalendar}
        </Link>
        <h1 className="titulo-1 wrap-anywhere">{event.title}</h1>
        <div className="flex flex-wrap items-center gap-x-6">
          <p className="text-acento text-lg font-semibold">{whenLine(event)}</p>
          <PlaceLink place={event.place} />
        </div>
        <EventBody event={event} />
        <Boxes event={event} />
        <Actions event={event} />
      </div>
      <div className="max-lg:order-first">
        <EventImage
          event={event}
          sizes="(min-width: 1024px) 40rem, 100vw"
          className="border-borde w-full rounded-sm border-2"
          fallback={<Plate slot={eventArt(event)} ink="mar" className="mr-2" />}
        />
      </div>
    </article>
  )
}

/** /eventos/:id: one event, at an address to share (P-02). */
export default function EventPageBody() {
  const id = idOf(useLocation().pathname)
  // No event has such an id, so nothing is requested.
  return isName(id) ? <EventOf id={id} /> : <Withdrawn />
}

/** The page of an event that was deleted or never existed, which search engines must not index. */
function Withdrawn() {
  useEffect(() => say((META) => META['*']), [])
  return <NotFound text={tEvent.doesNotExist} />
}

/** Whether a document may have this name: the data's own rule. */
function isName(id: string): boolean {
  return !id.includes('/') && !/^(?:\.\.?|__.*__)$/.test(id) && new TextEncoder().encode(id).length <= 1500
}

/** The event of a name, from its coming to its going. */
function EventOf({ id }: { id: string }) {
  const state = useEvents(`evento ${id}`, (live, listener) => live.subscribeOne(id, listener))
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
