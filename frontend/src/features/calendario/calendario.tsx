import { useMemo, useState } from 'react'
import { t } from '../../i18n/es'
import { tCalendario } from '../../i18n/es-calendario'
import { tramoDe } from '../../lib/cuadricula'
import type { Evento } from '../../lib/evento'
import { enLocal } from '../../lib/fechas'
import { useEventos } from '../../lib/use-eventos'
import { useImpresion } from '../../lib/use-impresion'
import { AgendaImpresa } from './agenda-impresa'
import { Controles } from './controles'
import { Cuadricula } from './cuadricula'
import { Destacados, proximosDe } from './destacados'
import { DiaElegido } from './dia-elegido'
import { useCalendario } from './use-calendario'

/** Events by their day in the foundation's zone. */
function repartir(eventos: Evento[]): Map<string, Evento[]> {
  const porDia = new Map<string, Evento[]>()
  for (const evento of eventos) {
    const dia = enLocal(evento.momento)?.fecha
    if (dia) porDia.set(dia, [...(porDia.get(dia) ?? []), evento])
  }
  return porDia
}

const NINGUNO: Evento[] = []

/** The calendar: its range is what is listened to; another range, another subscription (F-243). */
export function Calendario() {
  const calendario = useCalendario()
  const { dias, dia } = calendario
  const { desde, hasta } = tramoDe(dias)
  const estado = useEventos(`${dias[0]} ${dias.length}`, (enVivo, oyente) => enVivo.escucharTramo(desde, hasta, oyente))
  const eventos = estado.fase === 'datos' ? estado.eventos : NINGUNO
  const porDia = useMemo(() => repartir(eventos), [eventos])
  const cargando = estado.fase === 'cargando'
  const [ahora] = useState(() => new Date())
  const enPapel = useImpresion()
  return (
    <>
      <div className="contenedor calendario">
        <Controles calendario={calendario} />
        <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1.9fr)_minmax(0,1fr)] lg:gap-12">
          <div>
            <Cuadricula calendario={calendario} porDia={porDia} conTitulos={enPapel || calendario.vista === 'semana'} />
            <div className="no-imprimir text-suave mt-3 flex min-h-7 flex-wrap items-center gap-x-5 text-sm">
              <span className="inline-flex items-center gap-2">
                <span className="punto bg-hoy" aria-hidden="true" />
                {tCalendario.leyendaHoy}
              </span>
              <span className="inline-flex items-center gap-2">
                <span className="punto bg-evento" aria-hidden="true" />
                {tCalendario.leyendaEvento}
              </span>
              <span role="status">{cargando ? t.eventos.cargando : ''}</span>
            </div>
          </div>
          {enPapel ? (
            <AgendaImpresa eventos={eventos} calendario={calendario} cargando={cargando} />
          ) : (
            <DiaElegido dia={dia} eventos={dia ? (porDia.get(dia) ?? NINGUNO) : NINGUNO} proximo={proximosDe(eventos, ahora)[0] ?? null} />
          )}
        </div>
      </div>
      <Destacados eventos={eventos} cargando={cargando} />
    </>
  )
}
