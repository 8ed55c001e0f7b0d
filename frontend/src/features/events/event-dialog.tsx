import { Link } from '../../components/link'
import { eventArt } from '../../art/event-art'
import { SlotImage } from '../../art/slot-image'
import { buttonClasses } from '../../components/button-classes'
import { Dialog } from '../../components/dialog'
import { tEvent } from '../../i18n/es-events'
import { whenLine, type PublicEvent } from '../../lib/event'
import { GoogleLink } from './actions'
import { Boxes } from './boxes'
import { EventBody, PlaceLink, EventImage } from './event-parts'

/** An event over the page (F-120…F-125). */
export function EventDialog({ event, onClose }: { event: PublicEvent | null; onClose: () => void }) {
  return (
    <Dialog
      kind="page"
      open={event !== null}
      onClose={onClose}
      title={event?.title ?? ''}
      before={
        event ? (
          <div className="dialogo-imagen">
            <EventImage
              event={event}
              sizes="(min-width: 640px) 600px, 100vw"
              className="size-full"
              fallback={<SlotImage slot={eventArt(event)} sizes="600px" className="size-full object-cover" />}
            />
            <p className="dialogo-fecha">{whenLine(event)}</p>
          </div>
        ) : null
      }
    >
      {event ? (
        <div className="flex flex-col gap-4">
          <Boxes event={event} />
          <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
            <GoogleLink event={event} text={tEvent.addToCalendar} className={buttonClasses('primario')} />
            <PlaceLink place={event.place} />
            <Link to={`/eventos/${encodeURIComponent(event.id)}`} replace className="enlace inline-flex min-h-11 items-center">
              {tEvent.ownPage}
            </Link>
          </div>
          <EventBody event={event} />
        </div>
      ) : null}
    </Dialog>
  )
}
