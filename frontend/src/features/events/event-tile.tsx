import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { eventArt } from '../../art/event-art'
import { SlotImage } from '../../art/slot-image'
import { whenLine, type PublicEvent } from '../../lib/event'
import { EventImage } from './event-parts'

/** A card that leads to an event's page as a whole: picture, date, title and place. `children` is what else can be done with it. */
export function EventTile({ event, children }: { event: PublicEvent; children?: ReactNode }) {
  return (
    <li className="marco tarjeta-viva">
      <div className="border-borde aspect-[16/10] overflow-hidden border-b-2">
        <EventImage
          event={event}
          alt=""
          lazy
          sizes="(min-width: 1024px) 373px, (min-width: 640px) 50vw, 100vw"
          className="size-full"
          fallback={<SlotImage slot={eventArt(event)} sizes="(min-width: 1024px) 373px, 100vw" className="size-full object-cover" />}
        />
      </div>
      <div className="flex grow flex-col items-start p-5">
        <p className="text-acento font-semibold">{whenLine(event)}</p>
        <h3 className="titulo-3 mt-1 wrap-anywhere">
          <Link to={`/eventos/${encodeURIComponent(event.id)}`} className="enlace-titulo estirado">
            {event.title}
          </Link>
        </h3>
        {event.place ? <p className="mt-1 wrap-anywhere">{event.place}</p> : null}
        {children ? <div className="mt-auto pt-5">{children}</div> : null}
      </div>
    </li>
  )
}
