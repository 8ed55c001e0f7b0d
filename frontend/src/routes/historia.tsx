import { Link } from 'react-router-dom'
import { Lamina } from '../art/lamina'
import { boton } from '../components/boton'
import { Encabezado } from '../components/encabezado'
import { Llamada } from '../components/llamada'
import { Seccion } from '../components/seccion'
import { historia } from '../content/historia'

const TINTAS = ['coral', 'sol', 'mar', 'rosa', 'hoja', 'coral'] as const

/** How it began, beside the founders' words. */
function Origen() {
  const { origen, cita } = historia
  return (
    <div className="grid items-start gap-10 lg:grid-cols-2 lg:gap-16">
      <div className="max-w-prose">
        <p className="text-lg font-semibold">{origen.texto}</p>
        <p className="mt-4">{origen.detalle}</p>
      </div>
      <figure className="cartel cartel-mar">
        <blockquote className="font-titular text-2xl leading-snug font-extrabold lg:text-3xl">
          <p>«{cita.texto}»</p>
        </blockquote>
        <figcaption className="mt-4 font-semibold">{cita.autor}</figcaption>
      </figure>
    </div>
  )
}

/** The values, as four short cards. */
function Valores() {
  return (
    <ul className="grid gap-6 sm:grid-cols-2 lg:grid-cols-4">
      {historia.valores.lista.map(({ nombre, texto }) => (
        <li key={nombre} className="marco p-6">
          <h3 className="titulo-3">{nombre}</h3>
          <p className="mt-2">{texto}</p>
        </li>
      ))}
    </ul>
  )
}

/** The gallery of six pictures (F-181). */
function Galeria() {
  const { cuadros, nota } = historia.galeria
  return (
    <>
      <ul className="grid grid-cols-2 gap-x-6 gap-y-10 lg:grid-cols-3 lg:gap-x-8">
        {cuadros.map(({ slot, pie }, i) => (
          <li key={slot}>
            <figure>
              <Lamina slot={slot} tinta={TINTAS[i] ?? 'coral'} sizes="(min-width: 1024px) 373px, 50vw" />
              <figcaption className="mt-5">{pie}</figcaption>
            </figure>
          </li>
        ))}
      </ul>
      <p className="text-suave mt-8 text-sm">{nota}</p>
    </>
  )
}

/** /historia: the foundation's origin, its values and its gallery. */
export default function Historia() {
  return (
    <>
      <Encabezado titulo={historia.titulo} entrada={historia.entrada} imagen="cabecera-historia" />
      <Seccion titulo={historia.origen.titulo}>
        <Origen />
      </Seccion>
      <Seccion titulo={historia.valores.titulo} className="pt-0">
        <Valores />
      </Seccion>
      <Seccion titulo={historia.galeria.titulo} className="pt-0">
        <Galeria />
      </Seccion>
      <Llamada titulo={historia.llamada.titulo} texto={historia.llamada.texto}>
        <Link className={boton('primario')} to="/donar">
          {historia.llamada.boton}
        </Link>
      </Llamada>
    </>
  )
}
