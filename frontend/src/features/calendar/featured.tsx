import { useState } from 'react'
import { Link } from 'react-router-dom'
import { eventArt } from '../../art/event-art'
import { SlotImage } from '../../art/slot-image'
import { buttonClasses } from '../../components/button-classes'
import { Empty } from '../../components/empty'
import { tCalendar } from '../../i18n/es-calendar'
import { whenLine, type PublicEvent } from '../../lib/event'
import { GoogleLink } from '../events/actions'
import { EventImage } from '../events/event-parts'
import { EventBones } from '../events/event-bones'

/** How many are featured (F-700). */
const COUNT = 3

/** The first events of the range that are still to come (F-239). */
export function upcomingOf(events: PublicEvent[], now: Date): PublicEvent[] {
  return events.filter(({ moment }) => moment !== null && moment >= now).slice(0, COUNT)
}

/** «Próximos Eventos Destacados» of the loaded range (F-239…F-241). */
export function Featured({ events, loading }: { events: PublicEvent[]; loading: boolean }) {
  const [now] = useState(() => new Date())
  const upcoming = upcomingOf(events, now)
  return (
    <section aria-labelledby="titulo-destacados" className="no-imprimir seccion border-linea bg-banda border-t-2">
      <div className="contenedor">
        <h2 id="titulo-destacados" className="titulo-2 mb-8">
          {tCalendar.featured}
        </h2>
        {upcoming.length > 0 ? null : loading ? <EventBones /> : <Empty>{tCalendar.noUpcoming}</Empty>}
        <ul className="tarjetas grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
          {upcoming.map((event) => (
            <li key={event.id} className="marco tarjeta-viva">
              <div className="border-borde aspect-[16/10] overflow-hidden border-b-2">
                <EventImage
                  event={event}
                  alt=""
                  lazy
                  sizes="(min-width: 1024px) 373px, (min-width: 640px) 50vw, 100vw"
                  className="size-full"
                  fallback={
                    <SlotImage slot={eventArt(event)} sizes="(min-width: 1024px) 373px, 100vw" className="size-full object-cover" />
                  }
                />
              </div>
              <div className="flex grow flex-col items-start p-5">
                <p className="text-acento font-semibold">{whenLine(event)}</p>
                <h3 className="titulo-3 mt-1 wrap-anywhere">
                  <Link to={`/eventos/${encodeURIComponent(event.id)}`} className="enlace-titulo estirado">
                    {event.title}
                  </Link>
                </h3>
                {event.place ? <p className="mt-1 mb-5 wrap-anywhere">{event.place}</p> : null}
                <GoogleLink event={event} text={tCalendar.schedule} className={`${buttonClasses()} sobre-estirado mt-auto`} />
              </div>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
