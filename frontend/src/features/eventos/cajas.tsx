import { tEvento } from '../../i18n/es-eventos'
import type { Evento } from '../../lib/evento'
import { RAYA } from '../../lib/fechas'

/** The three boxes of an event, a dash for what is missing (F-125). */
export function Cajas({ evento }: { evento: Evento }) {
  const cajas = [
    { nombre: tEvento.fecha, texto: evento.fecha },
    { nombre: tEvento.hora, texto: evento.hora },
    { nombre: tEvento.lugar, texto: evento.lugar || RAYA },
  ]
  return (
    <dl className="grid w-full grid-cols-2 gap-3 sm:grid-cols-3">
      {cajas.map(({ nombre, texto }) => (
        <div key={nombre} className="border-borde bg-superficie max-sm:last:col-span-2 rounded-sm border-2 px-4 py-3">
          <dt className="text-suave text-sm">{nombre}</dt>
          <dd className="font-semibold wrap-anywhere">{texto}</dd>
        </div>
      ))}
    </dl>
  )
}
