import { tEvent } from '../../i18n/es-events'
import { DASH } from '../../lib/dates'
import { PlaceLink } from '../events/event-parts'

/** A fact for a visit, such as the price. */
export function EventFact({ name, text, place = '' }: { name: string; text: string; place?: string }) {
  return (
    <div className="py-3">
      <dt className="text-suave text-sm">{name}</dt>
      <dd className="flex flex-wrap items-center justify-between gap-x-6 font-semibold">
        <span className="min-w-0 wrap-anywhere">{text}</span>
        <PlaceLink place={place} />
      </dd>
    </div>
  )
}

/** The place, with its map if it is known. */
export function PlaceFact({ place }: { place: string }) {
  return <EventFact name={tEvent.place} text={place || DASH} place={place} />
}
