import { type KeyboardEvent, useEffect, useRef } from 'react'
import { tCalendario } from '../../i18n/es-calendario'
import { DIAS, diaLargo, mesLargo, semanas } from '../../lib/cuadricula'
import type { Evento } from '../../lib/evento'
import { hoy as diaDeHoy } from '../../lib/fechas'
import type { Calendario } from './use-calendario'

type PropsDia = { fecha: string; eventos: Evento[]; calendario: Calendario; esHoy: boolean; conTitulos: boolean }

/** A day: its number, its dots, and its events by title where there is room for them. */
function Dia({ fecha, eventos, calendario, esHoy, conTitulos }: PropsDia) {
  const { vista, dia, foco, elegir, reclamar } = calendario
  const nodo = useRef<HTMLButtonElement>(null)
  const enFoco = foco === fecha
  useEffect(() => {
    if (enFoco && reclamar(fecha)) nodo.current?.focus()
  })
  const partes = [diaLargo(fecha), eventos.length ? tCalendario.cuantos(eventos.length) : '', esHoy ? tCalendario.esHoy : '']
  const fuera = vista === 'mes' && fecha.slice(0, 7) !== calendario.fecha.slice(0, 7)
  return (
    // A cell of the grid, told so for browsers that forget it when the table is not drawn as one.
    // oxlint-disable-next-line jsx-a11y/no-redundant-roles, jsx-a11y/no-noninteractive-element-to-interactive-role
    <td role="gridcell" aria-selected={dia === fecha} className="celda">
      <button
        ref={nodo}
        type="button"
        tabIndex={enFoco ? 0 : -1}
        aria-label={partes.filter(Boolean).join(', ')}
        onClick={() => elegir(fecha)}
        className={`dia ${fuera ? 'dia-fuera' : ''} ${dia === fecha ? 'dia-elegido' : ''}`}
      >
        <span className="dia-numero">
          {vista === 'semana' ? <span className="sm:hidden">{DIAS[semanaDe(fecha, calendario)]} </span> : null}
          {Number(fecha.slice(8))}
        </span>
        <span className="dia-puntos" aria-hidden="true">
          {esHoy ? <span className="punto bg-hoy" /> : null}
          {eventos.length > 0 ? <span className="punto bg-evento" /> : null}
        </span>
        {conTitulos ? (
          <span className="dia-titulos" aria-hidden="true">
            {eventos.map(({ id, titulo, hora }) => (
              <span key={id} className="dia-titulo">
                {hora} {titulo}
              </span>
            ))}
          </span>
        ) : null}
      </button>
    </td>
  )
}

const semanaDe = (fecha: string, { dias }: Calendario) => dias.indexOf(fecha) % 7

type Props = { calendario: Calendario; porDia: Map<string, Evento[]>; conTitulos: boolean }

/** The month or the week as a grid of days (F-231, F-233…F-235; APG grid). */
export function Cuadricula({ calendario, porDia, conTitulos }: Props) {
  const { dias, vista, fecha, teclear } = calendario
  const hoy = diaDeHoy()
  const alTeclear = (suceso: KeyboardEvent) => {
    if (suceso.ctrlKey || suceso.metaKey || suceso.altKey) return
    if (teclear(suceso.key)) suceso.preventDefault()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
    <table role="grid" aria-label={mesLargo(fecha)} className={`cuadricula cuadricula-${vista}`} onKeyDown={alTeclear}>
      <thead>
        <tr>
          {DIAS.map((dia) => (
            <th key={dia} scope="col">
              <abbr title={dia} aria-label={dia} className="no-underline">
                {dia.slice(0, 3)}
              </abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {semanas(dias).map((semana) => (
          <tr key={semana[0]}>
            {semana.map((dia) => (
              <Dia
                key={dia}
                fecha={dia}
                eventos={porDia.get(dia) ?? []}
                calendario={calendario}
                esHoy={dia === hoy}
                conTitulos={conTitulos}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
