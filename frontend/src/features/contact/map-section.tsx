import { MapPin } from 'lucide-react'
import { useState } from 'react'
import { SlotImage } from '../../art/slot-image'
import { buttonClasses } from '../../components/button-classes'
import { contacto } from '../../content/contacto'
import { site } from '../../content/sitio'
import { tContact } from '../../i18n/es-contact'
import { mapLink } from '../../lib/links'
import { useHydrated } from '../../lib/use-hydrated'
import { ExternalLink } from '../events/event-parts'

/** The drawn map with its names. They repeat the picture's alternative text, so that screen readers skip them. */
function DrawnMap() {
  return (
    <div className="mapa-plano">
      <SlotImage slot="mapa" sizes="(min-width: 1024px) 800px, 150vw" className="size-full object-cover" />
      <span aria-hidden="true" className="mapa-nuestro" />
      <ul aria-hidden="true">
        {contacto.places.map(({ name, className }) => (
          <li key={name} className={`mapa-nombre ${className}`}>
            {className === 'mapa-ciudad' ? <MapPin /> : null}
            {name}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The directions: a drawn map, and an interactive map on request (F-163, D-25). */
export function MapSection() {
  const [open, setOpen] = useState(false)
  const hydrated = useHydrated()
  return (
    <section aria-labelledby="titulo-mapa" className="seccion border-linea bg-banda border-t-2">
      <div className="contenedor grid items-center gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)] lg:gap-12">
        <div>
          <h2 id="titulo-mapa" className="titulo-2">
            {contacto.mapPanel}
          </h2>
          <p className="mt-3 font-semibold">{site.address}</p>
          <p className="mt-3 max-w-prose">{contacto.directions}</p>
          <div className="mt-5 flex flex-wrap items-center gap-x-6 gap-y-3">
            {open ? null : (
              <button type="button" className={`${buttonClasses()} solo-vivo`} disabled={!hydrated} onClick={() => setOpen(true)}>
                {tContact.showMap}
              </button>
            )}
            <ExternalLink a={mapLink(site.address) ?? ''} className="enlace inline-flex min-h-11 items-center">
              {tContact.openMap}
            </ExternalLink>
          </div>
          <p className="solo-vivo text-suave mt-3 text-sm">{tContact.mapNotice}</p>
        </div>
        <div className="mapa border-borde rounded-sm border-2">
          {open ? (
            <iframe
              src={site.mapPanel}
              title={tContact.mapTitle}
              loading="lazy"
              referrerPolicy="no-referrer"
              className="size-full border-0"
            />
          ) : (
            <DrawnMap />
          )}
        </div>
      </div>
    </section>
  )
}
