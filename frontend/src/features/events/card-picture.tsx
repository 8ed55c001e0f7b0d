import { eventArt } from '../../art/event-art'
import { SlotImage } from '../../art/slot-image'
import type { PublicEvent } from '../../lib/event'
import { EventImage } from './event-parts'

/** The top of an event's card: its picture, or a drawing chosen by its title. */
export function CardPicture({ event, className = '' }: { event: PublicEvent; className?: string }) {
  return (
    <div className={`border-borde aspect-[16/10] overflow-hidden border-b-2 ${className}`}>
      <EventImage
        event={event}
        alt=""
        lazy
        sizes="(min-width: 1024px) 373px, (min-width: 640px) 50vw, 100vw"
        className="size-full"
        fallback={<SlotImage slot={eventArt(event)} sizes="(min-width: 1024px) 373px, 100vw" className="size-full object-cover" />}
      />
    </div>
  )
}
