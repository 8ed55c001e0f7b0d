import type { ReactNode } from 'react'
import { Link } from '../../components/link'
import { whenLine, type PublicEvent } from '../../lib/event'
import { CardPicture } from './card-picture'

/** A card that is a link to an event's page: picture, date, title and place. `children` are further actions. */
export function EventTile({ event, children }: { event: PublicEvent; children?: ReactNode }) {
  return (
    <li className="marco tarjeta-viva">
      <CardPicture event={event} />
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
