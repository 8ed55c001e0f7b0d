import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { inicio } from '../../content/inicio'
import { t } from '../../i18n/es'
import { eventoDe, sobre } from '../../lib/fondo'
import { useEventos } from '../../lib/use-eventos'
import { HuesosEventos, TarjetaEvento } from '../eventos/tarjeta-evento'
import { VentanaEvento } from '../eventos/ventana-evento'

const CUANTOS = 3

/** The next three events, live, with a modal whose address can be shared (F-103…F-107, P-02). */
export function Proximos() {
  const [desde] = useState(() => new Date())
  const estado = useEventos('proximos', (enVivo, oyente) => enVivo.escucharProximos(desde, CUANTOS, oyente))
  const { state } = useLocation()
  const navegar = useNavigate()
  // An error is shown as an empty list (D-17); the console has it.
  const eventos = estado.fase === 'datos' ? estado.eventos : []
  const abierto = eventos.find(({ id }) => id === eventoDe(state)) ?? null
  return (
    <section aria-labelledby="titulo-eventos" className="seccion bg-banda border-linea border-y-2">
      <div className="contenedor">
        <h2 id="titulo-eventos" className="titulo-2 mb-8">
          {inicio.eventos}
        </h2>
        <div role="status">
          {estado.fase === 'cargando' ? <p className="mb-6">{t.eventos.cargando}</p> : null}
          {estado.fase !== 'cargando' && eventos.length === 0 ? <p className="min-h-24 text-lg">{t.eventos.ninguno}</p> : null}
        </div>
        {estado.fase === 'cargando' ? <HuesosEventos /> : null}
        {eventos.length > 0 ? (
          <ul className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
            {eventos.map((evento) => (
              <TarjetaEvento
                key={evento.id}
                evento={evento}
                alAbrir={() => void navegar(`/eventos/${encodeURIComponent(evento.id)}`, { state: sobre('/', evento.id) })}
              />
            ))}
          </ul>
        ) : null}
      </div>
      <VentanaEvento evento={abierto} alCerrar={() => void navegar(-1)} />
    </section>
  )
}
