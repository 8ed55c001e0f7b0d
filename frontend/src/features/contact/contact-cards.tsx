import { Camera, Clock, Mail, MapPin, MessageCircle, Phone } from 'lucide-react'
import type { ReactNode } from 'react'
import { contacto } from '../../content/contacto'
import { site } from '../../content/sitio'
import { ExternalLink } from '../events/event-parts'
import { OpenNow } from './open-now'

const LINK = 'enlace inline-flex min-h-11 items-center break-all'

/** One way to reach the foundation. */
function Card({ icon, name, children }: { icon: ReactNode; name: string; children: ReactNode }) {
  return (
    <li className="border-borde bg-superficie flex gap-4 rounded-sm border-2 p-4">
      <span className="text-acento mt-0.5 shrink-0">{icon}</span>
      <div className="min-w-0">
        <h3 className="font-sans text-base font-semibold tracking-normal">{name}</h3>
        {children}
      </div>
    </li>
  )
}

/** Phone, WhatsApp, e-mail, address, hours and networks (F-160). */
export function ContactCards() {
  return (
    <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-1 xl:grid-cols-2">
      <Card icon={<Phone aria-hidden="true" />} name={contacto.phone}>
        <a href={site.phoneLink} className={LINK}>
          {site.phone}
        </a>
      </Card>
      <Card icon={<MessageCircle aria-hidden="true" />} name={contacto.whatsapp}>
        <ExternalLink a={site.whatsappEnlace} className={LINK}>
          {site.whatsapp}
        </ExternalLink>
      </Card>
      <Card icon={<Mail aria-hidden="true" />} name={contacto.email}>
        <a href={`mailto:${site.email}`} className={LINK}>
          {site.email}
        </a>
      </Card>
      <Card icon={<MapPin aria-hidden="true" />} name={contacto.address}>
        <p className="mt-1 text-balance">{site.address}</p>
      </Card>
      <Card icon={<Clock aria-hidden="true" />} name={contacto.hours}>
        <p className="mt-1 text-balance">{site.times}</p>
        <OpenNow />
      </Card>
      <Card icon={<Camera aria-hidden="true" />} name={contacto.networks}>
        <div className="flex flex-wrap gap-x-5">
          <ExternalLink a={site.instagram} className={LINK}>
            {contacto.instagram}
          </ExternalLink>
          <ExternalLink a={site.youtube} className={LINK}>
            {contacto.youtube}
          </ExternalLink>
        </div>
      </Card>
    </ul>
  )
}
