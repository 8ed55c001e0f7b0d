import { Download } from 'lucide-react'
import { buttonClasses } from '../../components/button-classes'
import { ShareButton } from '../../components/share-button'
import { tEvent } from '../../i18n/es-events'
import { calendarLink } from '../../lib/links'
import type { PublicEvent } from '../../lib/event'
import { ics } from '../../lib/ics'
import { useHydrated } from '../../lib/use-hydrated'
import { ExternalLink } from './event-parts'

/** An event in the form for calendars; null without a date. */
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
      {hydrated ? <ShareButton title={event.title} label={tEvent.compartir} copiedLabel={tEvent.linkCopied} /> : null}
    </div>
  )
}
