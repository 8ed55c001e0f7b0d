import { useState } from 'react'
import { tEvent } from '../../i18n/es-events'
import { useEvents } from '../../lib/use-events'
import { whenSeen } from '../../lib/when'
import { EventTile } from './event-tile'

/** The number of other events shown. */
const COUNT = 3

/** The next events after the shown one, live. It shows nothing if there are none. */
export function MoreEvents({ shown }: { shown: string }) {
  const [from] = useState(() => new Date())
  // One more is requested, because the shown event may be among them.
  const state = useEvents({ from, limit: COUNT + 1 }, whenSeen)
  const others = state.phase === 'ready' ? state.events.filter(({ id }) => id !== shown).slice(0, COUNT) : []
  if (others.length === 0) return null
  return (
    <section aria-labelledby="titulo-otros" className="no-imprimir seccion bg-banda border-linea border-t-2">
      <div className="contenedor">
        <h2 id="titulo-otros" className="titulo-2 mb-8">
          {tEvent.more}
        </h2>
        <ul className="tarjetas grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
          {others.map((event) => (
            <EventTile key={event.id} event={event} />
          ))}
        </ul>
      </div>
    </section>
  )
}
