import { lazy, Suspense, useState } from 'react'
import { Link } from '../../components/link'
import { NoScript } from '../../components/no-script'
import { Empty } from '../../components/empty'
import { inicio } from '../../content/inicio'
import { t } from '../../i18n/es'
import { whenSeen } from '../../lib/when'
import { useEvents } from '../../lib/use-events'
import { EventBones } from '../events/event-bones'

const COUNT = 3
const UpcomingList = lazy(() => import('./upcoming-list'))

/** The next three events, live, with a modal whose address can be shared (F-103…F-107, P-02). */
export function Upcoming() {
  const [from] = useState(() => new Date())
  const state = useEvents({ from, limit: COUNT }, whenSeen)
  // An error is shown as an empty list (D-17) and logged to the console.
  const events = state.phase === 'ready' ? state.events : []
  return (
    <section aria-labelledby="titulo-eventos" className="seccion bg-banda border-linea border-y-2">
      <div className="contenedor">
        <div className="mb-8 flex flex-wrap items-center justify-between gap-x-6">
          <h2 id="titulo-eventos" className="titulo-2">
            {inicio.events}
          </h2>
          <Link to="/calendario" className="enlace inline-flex min-h-11 items-center font-semibold">
            {inicio.seeAll}
          </Link>
        </div>
        {state.phase === 'loading' ? <NoScript text={t.noScript.events} /> : null}
        <div role="status" className="solo-vivo">
          {state.phase === 'loading' ? <p className="mb-6">{t.events.loading}</p> : null}
          {state.phase !== 'loading' && events.length === 0 ? <Empty>{t.events.none}</Empty> : null}
        </div>
        {state.phase !== 'loading' && events.length === 0 ? (
          <a href="#boletin" className="enlace mt-4 inline-flex min-h-11 items-center">
            {inicio.notifyMe}
          </a>
        ) : null}
        {state.phase === 'loading' ? (
          <div className="solo-vivo">
            <EventBones />
          </div>
        ) : null}
        {events.length > 0 ? (
          <Suspense fallback={<EventBones />}>
            <UpcomingList events={events} />
          </Suspense>
        ) : null}
      </div>
    </section>
  )
}
