import { Link } from 'react-router-dom'
import { ilustracionDeEvento } from '../../art/ilustracion-de-evento'
import { Imagen } from '../../art/imagen'
import { boton } from '../../components/boton'
import { Vacio } from '../../components/vacio'
import { tCalendario } from '../../i18n/es-calendario'
import { tEvento } from '../../i18n/es-eventos'
import { diaLargo } from '../../lib/cuadricula'
import { cuando, type Evento } from '../../lib/evento'
import { EnlaceGoogle } from '../eventos/acciones'
import { CuerpoEvento, EnlaceLugar, ImagenEvento } from '../eventos/datos-evento'

/** The picture of an event, or the drawing that its title names. */
function Estampa({ evento }: { evento: Evento }) {
  return (
    <div className="border-borde -mx-4 -mt-4 mb-1 aspect-[16/9] overflow-hidden border-b-2 sm:-mx-5 sm:-mt-5">
      <ImagenEvento
        evento={evento}
        className="size-full"
        respaldo={<Imagen slot={ilustracionDeEvento(evento)} sizes="(min-width: 1024px) 400px, 100vw" className="size-full object-cover" />}
      />
    </div>
  )
}

/** What is shown of an event beside the days (F-236, F-237); its title leads to its page. */
function Ficha({ evento }: { evento: Evento }) {
  return (
    <>
      <Estampa evento={evento} />
      <p className="text-acento font-semibold">{cuando(evento)}</p>
      <h3 className="titulo-3 wrap-anywhere">
        <Link to={`/eventos/${encodeURIComponent(evento.id)}`} className="enlace-titulo">
          {evento.titulo}
        </Link>
      </h3>
      <CuerpoEvento evento={evento} />
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <EnlaceGoogle evento={evento} texto={tEvento.agregarGoogle} className={boton('primario')} />
        <EnlaceLugar lugar={evento.lugar} />
      </div>
    </>
  )
}

type Props = { dia: string | null; eventos: Evento[]; proximo: Evento | null }

/** The events of the selected day (F-235); while none is, the next event of what is shown, or the hint to select one. */
export function DiaElegido({ dia, eventos, proximo }: Props) {
  return (
    <div aria-live="polite" className="calendario-lado min-h-40">
      {dia ? (
        <>
          <h2 className="titulo-3 mb-4">{tCalendario.eventosDelDia(diaLargo(dia))}</h2>
          {eventos.length > 0 ? (
            <ul className="grid gap-5">
              {eventos.map((evento) => (
                <li key={evento.id}>
                  <article className="marco gap-3 p-4 sm:p-5">
                    <Ficha evento={evento} />
                  </article>
                </li>
              ))}
            </ul>
          ) : (
            <Vacio>{tCalendario.sinEventosDia}</Vacio>
          )}
        </>
      ) : proximo ? (
        <>
          <h2 className="titulo-3 mb-4">{tCalendario.loProximo}</h2>
          <div className="marco gap-3 p-4 sm:p-5">
            <Ficha evento={proximo} />
          </div>
          <p className="text-suave mt-3 text-sm">{tCalendario.ayuda}</p>
        </>
      ) : (
        <Vacio>{tCalendario.ayuda}</Vacio>
      )}
    </div>
  )
}
