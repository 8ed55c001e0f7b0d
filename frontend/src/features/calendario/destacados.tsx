import { useState } from 'react'
import { Link } from 'react-router-dom'
import { ilustracionDeEvento } from '../../art/ilustracion-de-evento'
import { Imagen } from '../../art/imagen'
import { boton } from '../../components/boton'
import { Vacio } from '../../components/vacio'
import { tCalendario } from '../../i18n/es-calendario'
import { cuando, type Evento } from '../../lib/evento'
import { EnlaceGoogle } from '../eventos/acciones'
import { ImagenEvento } from '../eventos/datos-evento'
import { HuesosEventos } from '../eventos/huesos-eventos'

/** How many are featured (F-700). */
const CUANTOS = 3

/** The first events of the range that are still to come (F-239). */
export function proximosDe(eventos: Evento[], ahora: Date): Evento[] {
  return eventos.filter(({ momento }) => momento !== null && momento >= ahora).slice(0, CUANTOS)
}

/** «Próximos Eventos Destacados» of the loaded range (F-239…F-241). */
export function Destacados({ eventos, cargando }: { eventos: Evento[]; cargando: boolean }) {
  const [ahora] = useState(() => new Date())
  const proximos = proximosDe(eventos, ahora)
  return (
    <section aria-labelledby="titulo-destacados" className="no-imprimir seccion border-linea bg-banda border-t-2">
      <div className="contenedor">
        <h2 id="titulo-destacados" className="titulo-2 mb-8">
          {tCalendario.destacados}
        </h2>
        {proximos.length > 0 ? null : cargando ? <HuesosEventos /> : <Vacio>{tCalendario.sinProximos}</Vacio>}
        <ul className="tarjetas grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
          {proximos.map((evento) => (
            <li key={evento.id} className="marco tarjeta-viva">
              <div className="border-borde aspect-[16/10] overflow-hidden border-b-2">
                <ImagenEvento
                  evento={evento}
                  alt=""
                  perezosa
                  className="size-full"
                  respaldo={
                    <Imagen
                      slot={ilustracionDeEvento(evento)}
                      sizes="(min-width: 1024px) 373px, 100vw"
                      className="size-full object-cover"
                    />
                  }
                />
              </div>
              <div className="flex grow flex-col items-start p-5">
                <p className="text-acento font-semibold">{cuando(evento)}</p>
                <h3 className="titulo-3 mt-1 wrap-anywhere">
                  <Link to={`/eventos/${encodeURIComponent(evento.id)}`} className="enlace-titulo estirado">
                    {evento.titulo}
                  </Link>
                </h3>
                {evento.lugar ? <p className="mt-1 mb-5 wrap-anywhere">{evento.lugar}</p> : null}
                <EnlaceGoogle evento={evento} texto={tCalendario.agendar} className={`${boton()} sobre-estirado mt-auto`} />
              </div>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
