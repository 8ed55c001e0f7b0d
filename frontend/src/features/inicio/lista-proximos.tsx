import { useLocation, useNavigate } from 'react-router-dom'
import type { Evento } from '../../lib/evento'
import { eventoDe, sobre } from '../../lib/fondo'
import { TarjetaEvento } from '../eventos/tarjeta-evento'
import { VentanaEvento } from '../eventos/ventana-evento'

/** The cards of the next events and the modal over them; its own chunk, for it comes with the data. */
export default function ListaProximos({ eventos }: { eventos: Evento[] }) {
  const { state } = useLocation()
  const navegar = useNavigate()
  const abierto = eventos.find(({ id }) => id === eventoDe(state)) ?? null
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
      <VentanaEvento evento={abierto} alCerrar={() => void navegar(-1)} />
    </>
  )
}
