import { useState } from 'react'
import { SlotImage } from '../../art/slot-image'
import { buttonClasses } from '../../components/button-classes'
import { contacto } from '../../content/contacto'
import { site } from '../../content/sitio'
import { tContact } from '../../i18n/es-contact'
import { mapLink } from '../../lib/links'
import { useHydrated } from '../../lib/use-hydrated'
import { ExternalLink } from '../events/event-parts'

/** The directions: a drawn map, and an interactive map on request (F-163, D-25). */
export function MapSection() {
  const [open, setOpen] = useState(false)
  const hydrated = useHydrated()
  return (
    <section aria-labelledby="titulo-mapa" className="seccion border-linea bg-banda border-t-2">
      <div className="contenedor">
        <h2 id="titulo-mapa" className="titulo-2">
          {contacto.mapPanel}
        </h2>
        <p className="mt-3 mb-6">{site.address}</p>
        <div className="border-borde aspect-[4/3] w-full overflow-hidden rounded-sm border-2 sm:aspect-[2/1]">
          {open ? (
            <iframe
              src={site.mapPanel}
              title={tContact.mapTitle}
              loading="lazy"
              referrerPolicy="no-referrer"
              className="size-full border-0"
            />
          ) : (
            <SlotImage slot="mapa" sizes="(min-width: 1240px) 1200px, 100vw" className="size-full object-cover" />
          )}
        </div>
        <div className="mt-5 flex flex-wrap items-center gap-x-6 gap-y-3">
          {open ? null : (
            <button type="button" className={buttonClasses()} disabled={!hydrated} onClick={() => setOpen(true)}>
              {tContact.showMap}
            </button>
          )}
          <ExternalLink a={mapLink(site.address) ?? ''} className="enlace inline-flex min-h-11 items-center">
            {tContact.openMap}
          </ExternalLink>
        </div>
        <p className="text-suave mt-3 text-sm">{tContact.mapNotice}</p>
      </div>
    </section>
  )
}
