import { useState } from 'react'
import { Imagen } from '../../art/imagen'
import { boton } from '../../components/boton'
import { contacto } from '../../content/contacto'
import { sitio } from '../../content/sitio'
import { tContacto } from '../../i18n/es-contacto'
import { enlaceMapa } from '../../lib/enlaces'
import { useHidratado } from '../../lib/use-hidratado'
import { EnlaceFuera } from '../eventos/datos-evento'

/** How to get there: a drawn map, and the real one only for who asks for it (F-163, D-25). */
export function Mapa() {
  const [abierto, setAbierto] = useState(false)
  const hidratado = useHidratado()
  return (
    <section aria-labelledby="titulo-mapa" className="seccion border-linea bg-banda border-t-2">
      <div className="contenedor">
        <h2 id="titulo-mapa" className="titulo-2">
          {contacto.mapa}
        </h2>
        <p className="mt-3 mb-6">{sitio.direccion}</p>
        <div className="border-borde aspect-[4/3] w-full overflow-hidden rounded-sm border-2 sm:aspect-[2/1]">
          {abierto ? (
            <iframe
              src={sitio.mapa}
              title={tContacto.tituloMapa}
              loading="lazy"
              referrerPolicy="no-referrer"
              className="size-full border-0"
            />
          ) : (
            <Imagen slot="mapa" sizes="(min-width: 1240px) 1200px, 100vw" className="size-full object-cover" />
          )}
        </div>
        <div className="mt-5 flex flex-wrap items-center gap-x-6 gap-y-3">
          {abierto ? null : (
            <button type="button" className={boton()} disabled={!hidratado} onClick={() => setAbierto(true)}>
              {tContacto.mostrarMapa}
            </button>
          )}
          <EnlaceFuera a={enlaceMapa(sitio.direccion) ?? ''} className="enlace inline-flex min-h-11 items-center">
            {tContacto.abrirMapa}
          </EnlaceFuera>
        </div>
        <p className="text-suave mt-3 text-sm">{tContacto.avisoMapa}</p>
      </div>
    </section>
  )
}
