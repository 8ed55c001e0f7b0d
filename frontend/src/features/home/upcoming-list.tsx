import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import type { PublicEvent } from '../../lib/event'
import { eventOf, overlay } from '../../lib/background'
import { PublicEventCard } from '../events/event-card'
import { EventDialog } from '../events/event-dialog'

/** The cards of the next events and the modal over them. It has its own chunk, which is loaded with the data. */
export default function UpcomingList({ events }: { events: PublicEvent[] }) {
  const { state } = useLocation()
  const navigate = useNavigate()
  const requested = eventOf(state)
  const open = events.find(({ id }) => id === requested) ?? null
  const orphan = requested !== null && !open
  useEffect(() => {
    // The event was deleted, or is no longer among the next ones: its address is replaced.
    if (orphan) void navigate('/', { replace: true })
  }, [orphan, navigate])
  // Going back takes some time. A second close meanwhile must not leave the page.
  const closing = useRef(false)
  useEffect(() => {
    closing.current = false
  }, [open])
  const close = () => {
    if (!closing.current) void navigate(-1)
    closing.current = true
  }
  return (
    <>
      <ul className="tarjetas grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
        {events.map((event) => (
          <PublicEventCard
            key={event.id}
            event={event}
            onOpen={() => void navigate(`/eventos/${encodeURIComponent(event.id)}`, { state: overlay('/', event.id) })}
          />
        ))}
      </ul>
      <EventDialog event={open} onClose={close} />
    </>
  )
}
