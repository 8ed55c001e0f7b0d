import { Link } from 'react-router-dom'
import { Dialogo } from '../../components/dialogo'
import { tEvento } from '../../i18n/es-eventos'
import { cuando, type Evento } from '../../lib/evento'
import { Cajas } from './cajas'
import { CuerpoEvento, EnlaceLugar, ImagenEvento } from './datos-evento'

/** An event over the page (F-120…F-125). */
export function VentanaEvento({ evento, alCerrar }: { evento: Evento | null; alCerrar: () => void }) {
  return (
    <Dialogo
      abierto={evento !== null}
      alCerrar={alCerrar}
      titulo={evento?.titulo ?? ''}
      antes={evento ? <ImagenEvento evento={evento} className="border-borde rounded-sm border-2 mb-6 aspect-[16/10] w-full" /> : null}
    >
      {evento ? (
        <div className="flex flex-col gap-4">
          <div className="flex flex-wrap items-center gap-x-6">
            <p className="text-acento font-semibold">{cuando(evento)}</p>
            <EnlaceLugar lugar={evento.lugar} />
          </div>
          <CuerpoEvento evento={evento} />
          <Cajas evento={evento} />
          <Link to={`/eventos/${encodeURIComponent(evento.id)}`} replace className="enlace inline-flex min-h-11 items-center self-start">
            {tEvento.paginaPropia}
          </Link>
        </div>
      ) : null}
    </Dialogo>
  )
}
