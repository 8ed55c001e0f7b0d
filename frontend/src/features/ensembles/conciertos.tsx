import { useSyncExternalStore } from 'react'
import { Lamina } from '../../art/lamina'
import { type Concierto, ensambles } from '../../content/ensambles'
import { fechaYHora } from '../../lib/fechas'

const MINUTO_MS = 60_000

/** The clock is not watched: the page is told the minute at which it is shown. */
const sinAviso = () => () => undefined
const esteMinuto = () => Math.floor(Date.now() / MINUTO_MS) * MINUTO_MS
const desconocido = () => null

/** The present, known only in the browser: a prerendered page does not age. */
const useAhora = (): number | null => useSyncExternalStore(sinAviso, esteMinuto, desconocido)

const TINTAS = ['coral', 'sol', 'hoja'] as const

/** A concert; once it has passed there is nothing to reserve (D-16). */
function Ficha({ concierto, pasado, tinta }: { concierto: Concierto; pasado: boolean; tinta: (typeof TINTAS)[number] }) {
  return (
    <li className="estampa">
      <Lamina slot={concierto.img} tinta={tinta} sizes="(min-width: 768px) 373px, 100vw" />
      <div className="estampa-texto">
        <p className="font-semibold">
          <time dateTime={concierto.fecha}>{fechaYHora(new Date(concierto.fecha))}</time>
        </p>
        <h3 className="titulo-3 mt-1">{concierto.titulo}</h3>
        <p className="mt-2 mb-4">{concierto.desc}</p>
        {pasado ? (
          <p className="etiqueta self-start lg:mt-auto">{ensambles.finalizado}</p>
        ) : (
          <a className="enlace inline-flex min-h-11 items-center self-start font-semibold lg:mt-auto" href="#reservas">
            {ensambles.reservar}
            <span className="sr-only"> {concierto.titulo}</span>
          </a>
        )}
      </div>
    </li>
  )
}

/** The season's concerts (F-202). */
export function Conciertos() {
  const ahora = useAhora()
  return (
    <ul className="grid gap-x-8 gap-y-14 lg:grid-cols-3">
      {ensambles.conciertos.map((concierto, i) => (
        <Ficha
          key={concierto.id}
          concierto={concierto}
          tinta={TINTAS[i % 3] ?? 'coral'}
          pasado={ahora !== null && Date.parse(concierto.fecha) < ahora}
        />
      ))}
    </ul>
  )
}
