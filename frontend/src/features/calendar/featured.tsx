import { useState } from 'react'
import { buttonClasses } from '../../components/button-classes'
import { Empty } from '../../components/empty'
import { tCalendar } from '../../i18n/es-calendar'
import type { PublicEvent } from '../../lib/event'
import { GoogleLink } from '../events/actions'
import { EventBones } from '../events/event-bones'
import { EventTile } from '../events/event-tile'
import { NEXT_ID } from './controls'
import type { Calendar } from './use-calendar'

/** The number of featured events (F-700). */
const COUNT = 3

/** The first upcoming events of the range (F-239). */
function upcomingOf(events: PublicEvent[], now: Date): PublicEvent[] {
  return events.filter(({ moment }) => moment !== null && moment >= now).slice(0, COUNT)
}

/** Shown if the range has no upcoming events: a button for the next range, which then moves the focus to the button above. */
function None({ calendar: { view, advance } }: { calendar: Calendar }) {
  const goOn = () => {
    document.getElementById(NEXT_ID)?.focus()
    advance(1)
  }
  return (
    <>
      <Empty>{tCalendar.noUpcoming}</Empty>
      <button type="button" className={`${buttonClasses()} mt-5`} onClick={goOn}>
        {view === 'mes' ? tCalendar.goOnAMonth : tCalendar.goOnAWeek}
      </button>
    </>
  )
}

/** «Próximos Eventos Destacados» of the loaded range (F-239…F-241). */
export function Featured({ events, loading, calendar }: { events: PublicEvent[]; loading: boolean; calendar: Calendar }) {
  const [now] = useState(() => new Date())
  const upcoming = upcomingOf(events, now)
  return (
    <section aria-labelledby="titulo-destacados" className="no-imprimir seccion border-linea bg-banda border-t-2">
      <div className="contenedor">
        <h2 id="titulo-destacados" className="titulo-2 mb-8">
          {tCalendar.featured}
        </h2>
        {upcoming.length > 0 ? null : loading ? <EventBones /> : <None calendar={calendar} />}
        <ul className="tarjetas grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
          {upcoming.map((event) => (
            <EventTile key={event.id} event={event}>
              <GoogleLink event={event} text={tCalendar.schedule} className={`${buttonClasses()} sobre-estirado`} />
            </EventTile>
          ))}
        </ul>
      </div>
    </section>
  )
}
