import { tCalendario } from '../../i18n/es-calendario'
import { DIAS, diaDeSemana } from '../../lib/cuadricula'
import type { Evento } from '../../lib/evento'
import { precioPublico } from '../../lib/dinero'
import { enLocal } from '../../lib/fechas'
import type { Calendario } from './use-calendario'

type Props = { eventos: Evento[]; calendario: Calendario; cargando: boolean }

/** What paper has instead of buttons: every event of the month, or of the week, by its day (P-18). */
export function AgendaImpresa({ eventos, calendario: { vista, fecha }, cargando }: Props) {
  const mes = fecha.slice(0, 7)
  const lineas = eventos.flatMap((evento) => {
    const dia = enLocal(evento.momento)?.fecha
    return dia && (vista === 'semana' || dia.startsWith(mes)) ? [{ evento, dia }] : []
  })
  if (lineas.length === 0) return cargando ? null : <p className="mt-4">{tCalendario.sinEventosImpresos}</p>
  return (
    <ul className="agenda-impresa">
      {lineas.map(({ evento, dia }) => (
        <li key={evento.id}>
          <p className="agenda-cuando">
            {DIAS[diaDeSemana(dia)]} {Number(dia.slice(8))} · {evento.hora}
          </p>
          <p className="agenda-titulo">{evento.titulo}</p>
          <p className="agenda-lugar">{[evento.lugar, evento.artista, precioPublico(evento.precio)].filter(Boolean).join(' · ')}</p>
        </li>
      ))}
    </ul>
  )
}
