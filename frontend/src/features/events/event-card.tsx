import { useId } from 'react'
import { Link } from 'react-router-dom'
import { eventArt } from '../../art/event-art'
import { SlotImage } from '../../art/slot-image'
import { buttonClasses } from '../../components/button-classes'
import { tEvent } from '../../i18n/es-events'
import { whenLine, type PublicEvent } from '../../lib/event'
import { EventImage } from './event-parts'

/** An event among the next ones: date, title, description and a button for more (F-104). */
export function PublicEventCard({ event, onOpen }: { event: PublicEvent; onOpen: () => void }) {
  const titleId = useId()
  return (
    <li className="marco tarjeta-viva">
      <div className="no-imprimir border-borde aspect-[16/10] overflow-hidden border-b-2">
        <EventImage
          event={event}
          alt=""
          lazy
          sizes="(min-width: 1024px) 373px, (min-width: 640px) 50vw, 100vw"
          className="size-full"
          fallback={<SlotImage slot={eventArt(event)} sizes="(min-width: 1024px) 373px, 100vw" className="size-full object-cover" />}
        />
      </div>
      <div className="flex grow flex-col p-5">
        <p className="text-acento font-semibold">{whenLine(event)}</p>
        <h3 id={titleId} className="titulo-3 mt-1 wrap-anywhere">
          <Link
            to={`/eventos/${encodeURIComponent(event.id)}`}
            className="enlace-titulo estirado"
            onClick={(gesture) => {
              // Another tab, another window: the event's own page.
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
