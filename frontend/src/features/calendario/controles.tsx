import { Signo } from '../../components/signo'
import { boton } from '../../components/boton'
import { tCalendario } from '../../i18n/es-calendario'
import { mesLargo, type Vista } from '../../lib/cuadricula'
import type { Calendario } from './use-calendario'

const VISTAS: { vista: Vista; texto: string }[] = [
  { vista: 'semana', texto: tCalendario.semana },
  { vista: 'mes', texto: tCalendario.mes },
]

/** What is shown, the way to what comes before and after, today, and the two views (F-232, D-10, D-11). */
export function Controles({ calendario }: { calendario: Calendario }) {
  const { vista, fecha, avanzar, irAHoy, verComo } = calendario
  const mes = vista === 'mes'
  return (
    <div className="calendario-controles">
      <h2 aria-live="polite" className="titulo-2 w-full first-letter:uppercase md:mr-auto md:w-auto">
        {mesLargo(fecha)}
      </h2>
      <div className="no-imprimir flex gap-2 max-sm:gap-1">
        <button
          type="button"
          className={`${boton()} px-2.5 max-[389px]:px-2`}
          aria-label={mes ? tCalendario.mesAnterior : tCalendario.semanaAnterior}
          onClick={() => avanzar(-1)}
        >
          <Signo nombre="izquierda" />
        </button>
        <button type="button" className={`${boton()} px-4 max-[389px]:px-2.5`} onClick={irAHoy}>
          {tCalendario.hoy}
        </button>
        <button
          type="button"
          className={`${boton()} px-2.5 max-[389px]:px-2`}
          aria-label={mes ? tCalendario.mesSiguiente : tCalendario.semanaSiguiente}
          onClick={() => avanzar(1)}
        >
          <Signo nombre="derecha" />
        </button>
      </div>
      <div role="group" aria-label={tCalendario.vista} className="no-imprimir border-borde flex overflow-hidden rounded-sm border-2">
        {VISTAS.map((opcion) => (
          <button
            key={opcion.vista}
            type="button"
            aria-pressed={vista === opcion.vista}
            onClick={() => verComo(opcion.vista)}
            className="aria-pressed:bg-texto aria-pressed:text-fondo bg-superficie min-h-11 px-4 max-[389px]:px-2 font-semibold focus-visible:outline-offset-[-4px]"
          >
            {opcion.texto}
          </button>
        ))}
      </div>
    </div>
  )
}
