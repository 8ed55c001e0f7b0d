import { MapPin } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { t } from '../../i18n/es'
import { tEvento } from '../../i18n/es-eventos'
import { precioPublico } from '../../lib/dinero'
import { enlaceMapa } from '../../lib/enlaces'
import type { Evento } from '../../lib/evento'
import { enlaceSeguro } from '../../lib/url-segura'

/** A link to another site, opened in a tab of its own and said to be. */
export function EnlaceFuera({ a, className = 'enlace', children }: { a: string; className?: string; children: string }) {
  const href = enlaceSeguro(a)
  if (!href) return null
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className={className}>
      {children}
      <span className="sr-only"> {t.comun.pestanaNueva}</span>
    </a>
  )
}

type PropsImagen = { evento: Evento; alt?: string; className?: string; perezosa?: boolean; respaldo?: ReactNode }

/** The picture of an event; where it has none, or none that arrives, what stands for it. */
export function ImagenEvento({ evento, alt = evento.titulo, className = '', perezosa = false, respaldo = null }: PropsImagen) {
  const [perdida, setPerdida] = useState<string | null>(null)
  const { imagen } = evento
  if (!imagen || imagen === perdida) return respaldo
  return (
    <img
      src={imagen}
      alt={alt}
      width={640}
      height={400}
      loading={perezosa ? 'lazy' : 'eager'}
      onError={() => setPerdida(imagen)}
      className={`object-cover ${className}`}
    />
  )
}

/** «Ver ubicación»: a map search of the place, when there is one (F-122). */
export function EnlaceLugar({ lugar }: { lugar: string }) {
  const href = enlaceMapa(lugar)
  if (!href) return null
  return (
    <span className="inline-flex items-center gap-1">
      <MapPin aria-hidden="true" size={18} className="text-acento shrink-0" />
      <EnlaceFuera a={href} className="enlace inline-flex min-h-11 items-center">
        {tEvento.verUbicacion}
      </EnlaceFuera>
    </span>
  )
}

/** Price, artist and description, each only when there is one (F-123, F-124). */
export function CuerpoEvento({ evento }: { evento: Evento }) {
  const precio = precioPublico(evento.precio)
  return (
    <>
      {precio || evento.artista ? (
        <dl className="grid gap-1">
          {precio ? (
            <div className="flex gap-2">
              <dt className="text-suave">{tEvento.precio}</dt>
              <dd className="font-semibold">{precio}</dd>
            </div>
          ) : null}
          {evento.artista ? (
            <div className="flex gap-2">
              <dt className="text-suave">{tEvento.artista}</dt>
              <dd className="font-semibold wrap-anywhere">{evento.artista}</dd>
            </div>
          ) : null}
        </dl>
      ) : null}
      {evento.descripcion ? <p className="max-w-prose wrap-anywhere whitespace-pre-line">{evento.descripcion}</p> : null}
    </>
  )
}
