import { ChevronLeft, ChevronRight } from 'lucide-react'
import { boton } from '../../components/boton'
import { t } from '../../i18n/es'
import { mesLargo, type Vista } from '../../lib/cuadricula'
import type { Calendario } from './use-calendario'

const VISTAS: { vista: Vista; texto: string }[] = [
  { vista: 'semana', texto: t.calendario.semana },
  { vista: 'mes', texto: t.calendario.mes },
]

/** What is shown, the way to what comes before and after, today, and the two views (F-232, D-10, D-11). */
export function Controles({ calendario }: { calendario: Calendario }) {
  const { vista, fecha, avanzar, irAHoy, verComo } = calendario
  const mes = vista === 'mes'
  return (
    <div className="mb-5 flex flex-wrap items-center gap-3">
      <h2 aria-live="polite" className="titulo-2 w-full first-letter:uppercase md:mr-auto md:w-auto">
        {mesLargo(fecha)}
      </h2>
      <div className="flex gap-2">
        <button
          type="button"
          className={`${boton()} px-2.5`}
          aria-label={mes ? t.calendario.mesAnterior : t.calendario.semanaAnterior}
          onClick={() => avanzar(-1)}
        >
          <ChevronLeft aria-hidden="true" />
        </button>
        <button type="button" className={`${boton()} px-4`} onClick={irAHoy}>
          {t.calendario.hoy}
        </button>
        <button
          type="button"
          className={`${boton()} px-2.5`}
          aria-label={mes ? t.calendario.mesSiguiente : t.calendario.semanaSiguiente}
          onClick={() => avanzar(1)}
        >
          <ChevronRight aria-hidden="true" />
        </button>
      </div>
      <div role="group" aria-label={t.calendario.vista} className="border-borde flex overflow-hidden rounded-sm border-2 max-md:ml-auto">
        {VISTAS.map((opcion) => (
          <button
            key={opcion.vista}
            type="button"
            aria-pressed={vista === opcion.vista}
            onClick={() => verComo(opcion.vista)}
            className="aria-pressed:bg-texto aria-pressed:text-fondo bg-superficie min-h-11 px-4 font-semibold focus-visible:outline-offset-[-4px]"
          >
            {opcion.texto}
          </button>
        ))}
      </div>
    </div>
  )
}
