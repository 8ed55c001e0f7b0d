import { Banknote, MapPin, Mic2 } from 'lucide-react'
import { useId } from 'react'
import { eventArt } from '../../art/event-art'
import { SlotImage } from '../../art/slot-image'
import type { MusicEvent } from '../../admin/data/rows'
import { EventImage } from '../events/event-parts'
import { es } from '../../i18n/es-admin'
import { safeLink } from '../../lib/safe-url'
import { panelPrice } from '../../lib/money'
import { DASH, dateAndTime } from '../../lib/dates'

type Props = {
  event: MusicEvent
  past: boolean
  onEdit: () => void
  onDuplicate: () => void
  onDelete: () => void
}

/** A saved event and its actions (F-326). */
export function EventCard({ event, past, onEdit, onDuplicate, onDelete }: Props) {
  const heading = useId()
  const { events } = es
  return (
    <article className="panel-evento" aria-labelledby={heading} data-pasado={past || undefined}>
      <EventImage
        event={{ image: safeLink(event.imageUrl), imageAlt: event.imageAlt }}
        sizes="320px"
        lazy
        className="panel-evento-imagen"
        fallback={<SlotImage slot={eventArt(event)} decorative sizes="320px" className="panel-evento-imagen" />}
      />
      <p className="panel-evento-fecha">
        <time dateTime={event.eventDate?.toISOString()}>{dateAndTime(event.eventDate)}</time>
        {past ? <span className="panel-estado">{events.past}</span> : null}
      </p>
      <h3 id={heading} className="panel-titulo text-[15px]">
        {event.title || events.untitled}
      </h3>
      <p className="panel-evento-texto">{event.description || DASH}</p>
      <dl className="panel-evento-datos">
        <div>
          <dt>
            <MapPin aria-hidden size={14} />
            <span className="sr-only">{events.place}</span>
          </dt>
          <dd>{event.location.trim() || DASH}</dd>
        </div>
        <div>
          <dt>
            <Mic2 aria-hidden size={14} />
            <span className="sr-only">{events.artist}</span>
          </dt>
          <dd>{event.featuredArtist.trim() || DASH}</dd>
        </div>
        <div>
          <dt>
            <Banknote aria-hidden size={14} />
            <span className="sr-only">{events.price}</span>
          </dt>
          <dd className="panel-precio">{panelPrice(event.price)}</dd>
        </div>
      </dl>
      <div className="panel-evento-pie">
        <button type="button" className="panel-accion" aria-describedby={heading} onClick={onEdit}>
          {events.editButton}
        </button>
        <button type="button" className="panel-accion" aria-describedby={heading} onClick={onDuplicate}>
          {events.duplicate}
        </button>
        <button type="button" className="panel-accion panel-accion-peligro" aria-describedby={heading} onClick={onDelete}>
          {events.remove}
        </button>
      </div>
    </article>
  )
}
