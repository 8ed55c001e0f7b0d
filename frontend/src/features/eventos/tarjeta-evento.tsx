import { useId } from 'react'
import { Link } from 'react-router-dom'
import { ilustracionDeEvento } from '../../art/ilustracion-de-evento'
import { Imagen } from '../../art/imagen'
import { boton } from '../../components/boton'
import { tEvento } from '../../i18n/es-eventos'
import { cuando, type Evento } from '../../lib/evento'
import { ImagenEvento } from './datos-evento'

/** An event among the next ones: date, title, description and a button that tells more (F-104). */
export function TarjetaEvento({ evento, alAbrir }: { evento: Evento; alAbrir: () => void }) {
  const idTitulo = useId()
  return (
    <li className="marco tarjeta-viva">
      <div className="no-imprimir border-borde aspect-[16/10] overflow-hidden border-b-2">
        <ImagenEvento
          evento={evento}
          alt=""
          perezosa
          className="size-full"
          respaldo={
            <Imagen slot={ilustracionDeEvento(evento)} sizes="(min-width: 1024px) 373px, 100vw" className="size-full object-cover" />
          }
        />
      </div>
      <div className="flex grow flex-col p-5">
        <p className="text-acento font-semibold">{cuando(evento)}</p>
        <h3 id={idTitulo} className="titulo-3 mt-1 wrap-anywhere">
          <Link
            to={`/eventos/${encodeURIComponent(evento.id)}`}
            className="enlace-titulo estirado"
            onClick={(suceso) => {
              // Another tab, another window: the event's own page.
              if (suceso.ctrlKey || suceso.metaKey || suceso.shiftKey || suceso.button !== 0) return
              suceso.preventDefault()
              alAbrir()
            }}
          >
            {evento.titulo}
          </Link>
        </h3>
        <p className="mt-2 mb-5 line-clamp-4 wrap-anywhere">{evento.descripcion}</p>
        <button
          type="button"
          className={`${boton()} sobre-estirado mt-auto self-start`}
          aria-haspopup="dialog"
          aria-describedby={idTitulo}
          onClick={alAbrir}
        >
          {tEvento.masInformacion}
        </button>
      </div>
    </li>
  )
}
