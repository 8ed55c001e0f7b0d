import { Download, Share2 } from 'lucide-react'
import { useState } from 'react'
import { boton } from '../../components/boton'
import { tEvento } from '../../i18n/es-eventos'
import { enlaceCalendario } from '../../lib/enlaces'
import type { Evento } from '../../lib/evento'
import { ics } from '../../lib/ics'
import { useHidratado } from '../../lib/use-hidratado'
import { EnlaceFuera } from './datos-evento'

/** An event as calendars know it; none without a moment. */
export function citaDe({ titulo, descripcion, lugar, momento }: Evento) {
  return momento ? { titulo, descripcion, lugar, inicio: momento } : null
}

/** «Agregar a Google Calendar» (F-237). */
export function EnlaceGoogle({ evento, texto, className = 'enlace' }: { evento: Evento; texto: string; className?: string }) {
  const cita = citaDe(evento)
  return cita ? (
    <EnlaceFuera a={enlaceCalendario(cita)} className={className}>
      {texto}
    </EnlaceFuera>
  ) : null
}

function descargar(evento: Evento): void {
  const cita = citaDe(evento)
  if (!cita) return
  const direccion = URL.createObjectURL(new Blob([ics(evento.id, cita)], { type: 'text/calendar;charset=utf-8' }))
  const enlace = Object.assign(document.createElement('a'), { href: direccion, download: `evento-${evento.id}.ics` })
  enlace.click()
  URL.revokeObjectURL(direccion)
}

/** Shares the page, or copies its address where the browser can't share. */
function Compartir({ titulo }: { titulo: string }) {
  const [copiado, setCopiado] = useState(false)
  async function compartir() {
    try {
      if (typeof navigator.share === 'function') await navigator.share({ title: titulo, url: location.href })
      else {
        await navigator.clipboard.writeText(location.href)
        setCopiado(true)
      }
    } catch {
      // The visitor thought better of it, or the browser forbids it: nothing to tell.
    }
  }
  return (
    <button type="button" className={boton()} onClick={() => void compartir()}>
      <Share2 aria-hidden="true" size={18} />
      <span aria-live="polite">{copiado ? tEvento.enlaceCopiado : tEvento.compartir}</span>
    </button>
  )
}

/** What can be done with an event: keep it in a calendar, or pass it on. */
export function Acciones({ evento }: { evento: Evento }) {
  const hidratado = useHidratado()
  return (
    <div className="no-imprimir flex flex-wrap gap-3">
      <EnlaceGoogle evento={evento} texto={tEvento.agregarGoogle} className={boton('primario')} />
      {evento.momento ? (
        <button type="button" className={boton()} onClick={() => descargar(evento)}>
          <Download aria-hidden="true" size={18} />
          {tEvento.descargarIcs}
        </button>
      ) : null}
      {hidratado ? <Compartir titulo={evento.titulo} /> : null}
    </div>
  )
}
