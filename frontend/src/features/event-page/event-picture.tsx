import { Plate } from '../../art/plate'
import type { Slot } from '../../art/slot-image'
import type { PublicEvent } from '../../lib/event'
import { EventImage } from '../events/event-parts'

/** The picture of an event's page: the event's own, otherwise a drawing. */
export function EventPicture({ event, drawing }: { event: Pick<PublicEvent, 'image' | 'imageAlt'>; drawing: Slot }) {
  return (
    <EventImage
      event={event}
      priority
      sizes="(min-width: 1024px) 40rem, 100vw"
      className="border-borde w-full rounded-sm border-2"
      fallback={<Plate slot={drawing} ink="mar" className="mr-2" priority />}
    />
  )
}
