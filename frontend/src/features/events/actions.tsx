import { Download, Share2 } from 'lucide-react'
import { useState } from 'react'
import { buttonClasses } from '../../components/button-classes'
import { tEvent } from '../../i18n/es-events'
import { calendarLink } from '../../lib/links'
import type { PublicEvent } from '../../lib/event'
import { ics } from '../../lib/ics'
import { useHydrated } from '../../lib/use-hydrated'
import { ExternalLink } from './event-parts'

/** An event as calendars know it; none without a moment. */
export function appointmentOf({ title, description, place, moment }: PublicEvent) {
  return moment ? { title, description, place, inicio: moment } : null
}

/** «Agregar a Google Calendar» (F-237). */
export function GoogleLink({ event, text, className = 'enlace' }: { event: PublicEvent; text: string; className?: string }) {
  const appointment = appointmentOf(event)
  return appointment ? (
    <ExternalLink a={calendarLink(appointment)} className={className}>
      {text}
    </ExternalLink>
  ) : null
}

function download(event: PublicEvent): void {
  const appointment = appointmentOf(event)
  if (!appointment) return
  const address = URL.createObjectURL(new Blob([ics(event.id, appointment)], { type: 'text/calendar;charset=utf-8' }))
  const link = Object.assign(document.createElement('a'), { href: address, download: `evento-${event.id}.ics` })
  link.click()
  URL.revokeObjectURL(address)
}

/** Shares the page, or copies its address where the browser can't share. */
function Share({ title }: { title: string }) {
  const [copied, setCopied] = useState(false)
  async function compartir() {
    try {
      if (typeof navigator.share === 'function') await navigator.share({ title: title, url: location.href })
      else {
        await navigator.clipboard.writeText(location.href)
        setCopied(true)
      }
    } catch {
      // The visitor thought better of it, or the browser forbids it: nothing to tell.
    }
  }
  return (
    <button type="button" className={buttonClasses()} onClick={() => void compartir()}>
      <Share2 aria-hidden="true" size={18} />
      <span aria-live="polite">{copied ? tEvent.linkCopied : tEvent.compartir}</span>
    </button>
  )
}

/** What can be done with an event: keep it in a calendar, or pass it on. */
export function Actions({ event }: { event: PublicEvent }) {
  const hydrated = useHydrated()
  return (
    <div className="no-imprimir flex flex-wrap gap-3">
      <GoogleLink event={event} text={tEvent.addToGoogle} className={buttonClasses('primario')} />
      {event.moment ? (
        <button type="button" className={buttonClasses()} onClick={() => download(event)}>
          <Download aria-hidden="true" size={18} />
          {tEvent.downloadIcs}
        </button>
      ) : null}
      {hydrated ? <Share title={event.title} /> : null}
    </div>
  )
}
