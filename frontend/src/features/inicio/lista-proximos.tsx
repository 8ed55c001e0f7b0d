import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import type { Evento } from '../../lib/evento'
import { eventoDe, sobre } from '../../lib/fondo'
import { TarjetaEvento } from '../eventos/tarjeta-evento'
import { VentanaEvento } from '../eventos/ventana-evento'

/** The cards of the next events and the modal over them; its own chunk, for it comes with the data. */
export default function ListaProximos({ eventos }: { eventos: Evento[] }) {
  const { state } = useLocation()
  const navegar = useNavigate()
  const pedido = eventoDe(state)
  const abierto = eventos.find(({ id }) => id === pedido) ?? null
  const huerfano = pedido !== null && !abierto
  useEffect(() => {
    // The event went while one looked, or is no longer among the next ones: its address goes with it.
    if (huerfano) void navegar('/', { replace: true })
  }, [huerfano, navegar])
  // Going back takes a moment, in which an impatient hand closes again: that must not leave the page.
  const cerrando = useRef(false)
  useEffect(() => {
    cerrando.current = false
  }, [abierto])
  const cerrar = () => {
    if (!cerrando.current) void navegar(-1)
    cerrando.current = true
  }
  return (
    <>
      <ul className="tarjetas grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
        {eventos.map((evento) => (
          <TarjetaEvento
            key={evento.id}
            evento={evento}
            alAbrir={() => void navegar(`/eventos/${encodeURIComponent(evento.id)}`, { state: sobre('/', evento.id) })}
          />
        ))}
      </ul>
      <VentanaEvento evento={abierto} alCerrar={cerrar} />
    </>
  )
}
