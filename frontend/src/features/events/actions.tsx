import { Download } from 'lucide-react'
import { Link } from '../../components/link'
import { buttonClasses } from '../../components/button-classes'
import { ShareButton } from '../../components/share-button'
import { tEvent } from '../../i18n/es-events'
import { calendarLink } from '../../lib/links'
import type { PublicEvent } from '../../lib/event'
import { ics } from '../../lib/ics'
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

/** The actions for an event: adding it to a calendar, or sharing it. A past event begins with a link to upcoming ones. */
export function Actions({ event, past }: { event: PublicEvent; past: boolean }) {
  return (
    <div className="no-imprimir flex flex-wrap items-center gap-x-3 gap-y-2">
      {past ? (
        <Link to="/calendario" className={`${buttonClasses('primario')} max-sm:w-full`}>
          {tEvent.seeNext}
        </Link>
      ) : (
        <GoogleLink event={event} text={tEvent.addToGoogle} className={`${buttonClasses('primario')} max-sm:w-full`} />
      )}
      <ShareButton title={event.title} label={tEvent.compartir} copiedLabel={tEvent.linkCopied} className="solo-vivo" />
      {event.moment ? (
        <button type="button" className="solo-vivo enlace inline-flex min-h-11 items-center gap-2" onClick={() => download(event)}>
          <Download aria-hidden="true" size={18} />
          {tEvent.downloadIcs}
        </button>
      ) : null}
    </div>
  )
}
