import { useId } from 'react'
import { Link } from '../../components/link'
import { buttonClasses } from '../../components/button-classes'
import { tEvent } from '../../i18n/es-events'
import { whenLine, type PublicEvent } from '../../lib/event'
import { CardPicture } from './card-picture'

/** An event in the list of the next ones: date, title, description and a button for details (F-104). */
export function PublicEventCard({ event, onOpen }: { event: PublicEvent; onOpen: () => void }) {
  const titleId = useId()
  return (
    <li className="marco tarjeta-viva">
      <CardPicture event={event} className="no-imprimir" />
      <div className="flex grow flex-col p-5">
        <p className="text-acento font-semibold">{whenLine(event)}</p>
        <h3 id={titleId} className="titulo-3 mt-1 wrap-anywhere">
          <Link
            to={`/eventos/${encodeURIComponent(event.id)}`}
            className="enlace-titulo estirado"
            onClick={(gesture) => {
              // Opens the event's own page in another tab or window.
              if (gesture.ctrlKey || gesture.metaKey || gesture.shiftKey || gesture.button !== 0) return
              gesture.preventDefault()
              onOpen()
            }}
          >
            {event.title}
          </Link>
        </h3>
        <p className="mt-2 mb-5 line-clamp-4 wrap-anywhere">{event.description}</p>
        <button
          type="button"
          className={`${buttonClasses()} sobre-estirado mt-auto self-start`}
          aria-haspopup="dialog"
          aria-describedby={titleId}
          onClick={onOpen}
        >
          {tEvent.moreInformation}
        </button>
      </div>
    </li>
  )
}
