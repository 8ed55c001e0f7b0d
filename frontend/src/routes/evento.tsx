import { useEffect } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { ilustracionDeEvento } from '../art/ilustracion-de-evento'
import { Lamina } from '../art/lamina'
import { boton } from '../components/boton'
import { Esqueleto } from '../components/esqueleto'
import { sitio } from '../content/sitio'
import { Acciones } from '../features/eventos/acciones'
import { Cajas } from '../features/eventos/cajas'
import { CuerpoEvento, EnlaceLugar, ImagenEvento } from '../features/eventos/datos-evento'
import { tEvento } from '../i18n/es-eventos'
import { datosEvento } from '../lib/datos-evento'
import { cuando, type Evento } from '../lib/evento'
import { useEventos } from '../lib/use-eventos'
import { decir } from '../lib/use-meta'
import { idDe } from '../rutas'
import NoEncontrada from './no-encontrada'

/** Tells the head and search engines of the event while its page is shown. */
function useDatos(evento: Evento) {
  useEffect(() => {
    const descripcion = `${cuando(evento)}. ${evento.descripcion || sitio.nombre}`.slice(0, 160)
    const callar = decir(() => ({ titulo: `${evento.titulo.slice(0, 56)} · Evento`, descripcion, indexar: true }))
    // A page that came from the back office says it already.
    const nota = document.getElementById('datos-evento') ?? document.createElement('script')
    nota.setAttribute('type', 'application/ld+json')
    nota.textContent = JSON.stringify(datosEvento(evento, location.href))
    document.head.append(nota)
    return () => {
      callar()
      nota.remove()
    }
  }, [evento])
}

/** The event, whole. */
function PaginaEvento({ evento }: { evento: Evento }) {
  useDatos(evento)
  return (
    <article className="contenedor grid gap-10 py-10 md:py-16 lg:grid-cols-[1.1fr_1fr] lg:items-start lg:gap-16">
      <div className="flex flex-col items-start gap-6">
        <Link to="/calendario" className="no-imprimir enlace -mb-3 inline-flex min-h-11 items-center">
          {tEvento.verCalendario}
        </Link>
        <h1 className="titulo-1 wrap-anywhere">{evento.titulo}</h1>
        <div className="flex flex-wrap items-center gap-x-6">
          <p className="text-acento text-lg font-semibold">{cuando(evento)}</p>
          <EnlaceLugar lugar={evento.lugar} />
        </div>
        <CuerpoEvento evento={evento} />
        <Cajas evento={evento} />
        <Acciones evento={evento} />
      </div>
      <div className="max-lg:order-first">
        <ImagenEvento
          evento={evento}
          className="border-borde w-full rounded-sm border-2"
          respaldo={<Lamina slot={ilustracionDeEvento(evento)} tinta="mar" className="mr-2" />}
        />
      </div>
    </article>
  )
}

/** /eventos/:id: one event, at an address to share (P-02). */
export default function PaginaDeEvento() {
  const id = idDe(useLocation().pathname)
  // No event has such a name, so there is nothing to ask for.
  return esNombre(id) ? <EventoDe id={id} /> : <Retirado />
}

/** What stands where an event was, or never has been: nothing for search engines to keep. */
function Retirado() {
  useEffect(() => decir((META) => META['*']), [])
  return <NoEncontrada texto={tEvento.noExiste} />
}

/** Whether a document may have this name: the data's own rule. */
function esNombre(id: string): boolean {
  return !id.includes('/') && !/^(?:\.\.?|__.*__)$/.test(id) && new TextEncoder().encode(id).length <= 1500
}

/** The event of a name, from its coming to its going. */
function EventoDe({ id }: { id: string }) {
  const estado = useEventos(`evento ${id}`, (enVivo, oyente) => enVivo.escucharUno(id, oyente))
  if (estado.fase === 'cargando') return <Esqueleto />
  const evento = estado.fase === 'datos' ? estado.eventos[0] : undefined
  if (evento) return <PaginaEvento evento={evento} />
  if (estado.fase === 'datos' && estado.confirmado) return <Retirado />
  return (
    <div className="contenedor py-20" role="alert">
      <h1 className="titulo-1">{tEvento.titulo}</h1>
      <p className="entrada mt-5 mb-7">{tEvento.fallo}</p>
      <Link to="/calendario" className={boton()}>
        {tEvento.verCalendario}
      </Link>
    </div>
  )
}
