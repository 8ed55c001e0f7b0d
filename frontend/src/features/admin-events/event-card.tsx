import { Banknote, MapPin, Mic2 } from 'lucide-react'
import { useId } from 'react'
import type { MusicEvent } from '../../admin/data/rows'
import { es } from '../../i18n/es-admin'
import { precioPanel } from '../../lib/dinero'
import { RAYA, fechaYHora } from '../../lib/fechas'

type Props = {
  event: MusicEvent
  past: boolean
  onEdit: () => void
  onDuplicate: () => void
  onDelete: () => void
}

/** A saved event and what can be done with it (F-326). */
export function EventCard({ event, past, onEdit, onDuplicate, onDelete }: Props) {
  const heading = useId()
  const { eventos } = es
  return (
    <article className="p-evento" aria-labelledby={heading} data-pasado={past || undefined}>
      <p className="p-evento-fecha">
        <time dateTime={event.eventDate?.toISOString()}>{fechaYHora(event.eventDate)}</time>
        {past ? <span className="p-estado">{eventos.pasado}</span> : null}
      </p>
      <h3 id={heading} className="p-titulo text-[15px]">
        {event.title || eventos.sinTitulo}
      </h3>
      <p className="p-evento-texto">{event.description || RAYA}</p>
      <dl className="p-evento-datos">
        <div>
          <dt>
            <MapPin aria-hidden size={14} />
            <span className="sr-only">{eventos.lugar}</span>
          </dt>
          <dd>{event.location.trim() || RAYA}</dd>
        </div>
        <div>
          <dt>
            <Mic2 aria-hidden size={14} />
            <span className="sr-only">{eventos.artista}</span>
          </dt>
          <dd>{event.featuredArtist.trim() || RAYA}</dd>
        </div>
        <div>
          <dt>
            <Banknote aria-hidden size={14} />
            <span className="sr-only">{eventos.precio}</span>
          </dt>
          <dd className="p-precio">{precioPanel(event.price)}</dd>
        </div>
      </dl>
      <div className="p-evento-pie">
        <button type="button" className="p-accion" aria-describedby={heading} onClick={onEdit}>
          {eventos.editarBoton}
        </button>
        <button type="button" className="p-accion" aria-describedby={heading} onClick={onDuplicate}>
          {eventos.duplicar}
        </button>
        <button type="button" className="p-accion p-accion-peligro" aria-describedby={heading} onClick={onDelete}>
          {eventos.eliminar}
        </button>
      </div>
    </article>
  )
}
