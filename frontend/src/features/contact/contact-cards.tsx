import { Camera, Clock, Mail, MapPin, MessageCircle, Phone } from 'lucide-react'
import type { ReactNode } from 'react'
import { contacto } from '../../content/contacto'
import { site } from '../../content/sitio'
import { ExternalLink } from '../events/event-parts'
import { OpenNow } from './open-now'

const LINK = 'enlace inline-flex min-h-11 items-center text-lg font-semibold break-all'

/** One way to reach the foundation. */
function Row({ icon, name, children }: { icon: ReactNode; name: string; children: ReactNode }) {
  return (
    <li className="directorio-fila">
      <span className="directorio-icono">{icon}</span>
      <div className="min-w-0">
        <h3 className="text-suave font-sans text-base font-semibold tracking-normal">{name}</h3>
        {children}
      </div>
    </li>
  )
}

/** The days and the hours. A line breaks between them, not within the hours unless they need more than one. */
function Times() {
  const [days, hours] = site.times.split(/(?<=, )(?=\d)/)
  return (
    <p className="mt-1 font-semibold">
      {days}
      <span className="inline-block">{hours}</span>
    </p>
  )
}

/** Phone, WhatsApp, e-mail, address, hours and networks (F-160). */
export function ContactCards() {
  return (
    <ul className="directorio">
      <Row icon={<Phone aria-hidden="true" />} name={contacto.phone}>
        <a href={site.phoneLink} className={LINK}>
          {site.phone}
        </a>
      </Row>
      <Row icon={<MessageCircle aria-hidden="true" />} name={contacto.whatsapp}>
        <ExternalLink a={site.whatsappLink} className={LINK}>
          {site.whatsapp}
        </ExternalLink>
      </Row>
      <Row icon={<Mail aria-hidden="true" />} name={contacto.email}>
        <a href={`mailto:${site.email}`} className={LINK}>
          {site.email}
        </a>
      </Row>
      <Row icon={<MapPin aria-hidden="true" />} name={contacto.address}>
        <p className="mt-1 font-semibold text-balance">{site.address}</p>
      </Row>
      <Row icon={<Clock aria-hidden="true" />} name={contacto.hours}>
        <Times />
        <OpenNow />
      </Row>
      <Row icon={<Camera aria-hidden="true" />} name={contacto.networks}>
        <div className="flex flex-wrap gap-x-5">
          <ExternalLink a={site.instagram} className={LINK}>
            {contacto.instagram}
          </ExternalLink>
          <ExternalLink a={site.youtube} className={LINK}>
            {contacto.youtube}
          </ExternalLink>
        </div>
      </Row>
    </ul>
  )
}
