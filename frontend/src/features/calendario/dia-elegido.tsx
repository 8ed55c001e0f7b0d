import { Vacio } from '../../components/vacio'
import { tCalendario } from '../../i18n/es-calendario'
import { tEvento } from '../../i18n/es-eventos'
import { diaLargo } from '../../lib/cuadricula'
import { cuando, type Evento } from '../../lib/evento'
import { EnlaceGoogle } from '../eventos/acciones'
import { CuerpoEvento, EnlaceLugar, ImagenEvento } from '../eventos/datos-evento'

/** An event of the day with all it has (F-236, F-237). */
function EventoDelDia({ evento }: { evento: Evento }) {
  return (
    <li>
      <article className="marco gap-3 p-4 sm:p-5">
        <ImagenEvento evento={evento} className="border-borde rounded-sm border-2 aspect-[16/10] w-full" />
        <h3 className="titulo-3 wrap-anywhere">{evento.titulo}</h3>
        <div className="flex flex-wrap items-center gap-x-5">
          <p className="text-acento font-semibold">{cuando(evento)}</p>
          <EnlaceLugar lugar={evento.lugar} />
        </div>
        <CuerpoEvento evento={evento} />
        <EnlaceGoogle evento={evento} texto={tEvento.agregarGoogle} className="enlace inline-flex min-h-11 items-center self-start" />
      </article>
    </li>
  )
}

/** The events of the selected day (F-235), or the hint to select one. */
export function DiaElegido({ dia, eventos }: { dia: string | null; eventos: Evento[] }) {
  return (
    <div aria-live="polite" className="min-h-40">
      {dia ? (
        <>
          <h2 className="titulo-3 mb-4">{tCalendario.eventosDelDia(diaLargo(dia))}</h2>
          {eventos.length > 0 ? (
            <ul className="grid gap-5">
              {eventos.map((evento) => (
                <EventoDelDia key={evento.id} evento={evento} />
              ))}
            </ul>
          ) : (
            <Vacio>{tCalendario.sinEventosDia}</Vacio>
          )}
        </>
      ) : (
        <Vacio>{tCalendario.ayuda}</Vacio>
      )}
    </div>
  )
}
