import { Link } from 'react-router-dom'
import { ilustracionDeEvento } from '../../art/ilustracion-de-evento'
import { Imagen } from '../../art/imagen'
import { boton } from '../../components/boton'
import { Dialogo } from '../../components/dialogo'
import { tEvento } from '../../i18n/es-eventos'
import { cuando, type Evento } from '../../lib/evento'
import { EnlaceGoogle } from './acciones'
import { Cajas } from './cajas'
import { CuerpoEvento, EnlaceLugar, ImagenEvento } from './datos-evento'

/** An event over the page (F-120…F-125). */
export function VentanaEvento({ evento, alCerrar }: { evento: Evento | null; alCerrar: () => void }) {
  return (
    <Dialogo
      abierto={evento !== null}
      alCerrar={alCerrar}
      titulo={evento?.titulo ?? ''}
      antes={
        evento ? (
          <div className="border-borde mb-6 aspect-[16/9] w-full overflow-hidden rounded-sm border-2">
            <ImagenEvento
              evento={evento}
              className="size-full"
              respaldo={<Imagen slot={ilustracionDeEvento(evento)} sizes="600px" className="size-full object-cover" />}
            />
          </div>
        ) : null
      }
    >
      {evento ? (
        <div className="flex flex-col gap-4">
          <div className="flex flex-wrap items-center gap-x-6">
            <p className="text-acento font-semibold">{cuando(evento)}</p>
            <EnlaceLugar lugar={evento.lugar} />
          </div>
          <CuerpoEvento evento={evento} />
          <Cajas evento={evento} />
          <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
            <EnlaceGoogle evento={evento} texto={tEvento.agregarCalendario} className={boton('primario')} />
            <Link to={`/eventos/${encodeURIComponent(evento.id)}`} replace className="enlace inline-flex min-h-11 items-center">
              {tEvento.paginaPropia}
            </Link>
          </div>
        </div>
      ) : null}
    </Dialogo>
  )
}
