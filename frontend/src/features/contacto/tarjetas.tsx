import { Camera, Clock, Mail, MapPin, MessageCircle, Phone } from 'lucide-react'
import type { ReactNode } from 'react'
import { contacto } from '../../content/contacto'
import { sitio } from '../../content/sitio'
import { EnlaceFuera } from '../eventos/datos-evento'
import { Abierto } from './abierto'

const ENLACE = 'enlace inline-flex min-h-11 items-center break-all'

/** One way to reach the foundation. */
function Tarjeta({ icono, nombre, children }: { icono: ReactNode; nombre: string; children: ReactNode }) {
  return (
    <li className="border-borde bg-superficie flex gap-4 rounded-sm border-2 p-4">
      <span className="text-acento mt-0.5 shrink-0">{icono}</span>
      <div className="min-w-0">
        <h3 className="font-sans text-base font-semibold tracking-normal">{nombre}</h3>
        {children}
      </div>
    </li>
  )
}

/** Phone, WhatsApp, e-mail, address, hours and networks (F-160). */
export function Tarjetas() {
  return (
    <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-1 xl:grid-cols-2">
      <Tarjeta icono={<Phone aria-hidden="true" />} nombre={contacto.telefono}>
        <a href={sitio.telefonoEnlace} className={ENLACE}>
          {sitio.telefono}
        </a>
      </Tarjeta>
      <Tarjeta icono={<MessageCircle aria-hidden="true" />} nombre={contacto.whatsapp}>
        <EnlaceFuera a={sitio.whatsappEnlace} className={ENLACE}>
          {sitio.whatsapp}
        </EnlaceFuera>
      </Tarjeta>
      <Tarjeta icono={<Mail aria-hidden="true" />} nombre={contacto.correo}>
        <a href={`mailto:${sitio.correo}`} className={ENLACE}>
          {sitio.correo}
        </a>
      </Tarjeta>
      <Tarjeta icono={<MapPin aria-hidden="true" />} nombre={contacto.direccion}>
        <p className="mt-1 text-balance">{sitio.direccion}</p>
      </Tarjeta>
      <Tarjeta icono={<Clock aria-hidden="true" />} nombre={contacto.horario}>
        <p className="mt-1 text-balance">{sitio.horas}</p>
        <Abierto />
      </Tarjeta>
      <Tarjeta icono={<Camera aria-hidden="true" />} nombre={contacto.redes}>
        <div className="flex flex-wrap gap-x-5">
          <EnlaceFuera a={sitio.instagram} className={ENLACE}>
            {contacto.instagram}
          </EnlaceFuera>
          <EnlaceFuera a={sitio.youtube} className={ENLACE}>
            {contacto.youtube}
          </EnlaceFuera>
        </div>
      </Tarjeta>
    </ul>
  )
}
