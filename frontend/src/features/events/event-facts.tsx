import { tEvent } from '../../i18n/es-events'
import type { PublicEvent } from '../../lib/event'
import { DASH } from '../../lib/dates'
import { publicPrice } from '../../lib/money'
import { PlaceLink } from './event-parts'

/** The facts for a visit: the place with its map, the price and the artist. Price and artist are shown only if they are set. */
export function EventFacts({ event }: { event: PublicEvent }) {
  const facts = [
    { name: tEvent.place, text: event.place || DASH },
    { name: tEvent.price, text: publicPrice(event.price) },
    { name: tEvent.artist, text: event.artist },
  ].filter(({ text }) => text)
  return (
    <dl className="divide-linea border-borde bg-superficie divide-y rounded-sm border-2 px-5">
      {facts.map(({ name, text }) => (
        <div key={name} className="py-3">
          <dt className="text-suave text-sm">{name}</dt>
          <dd className="flex flex-wrap items-center justify-between gap-x-6 font-semibold">
            <span className="min-w-0 wrap-anywhere">{text}</span>
            {name === tEvent.place ? <PlaceLink place={event.place} /> : null}
          </dd>
        </div>
      ))}
    </dl>
  )
}
