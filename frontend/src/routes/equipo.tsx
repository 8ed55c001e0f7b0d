import { Link } from 'react-router-dom'
import { Imagen } from '../art/imagen'
import { Lamina } from '../art/lamina'
import { boton } from '../components/boton'
import { Encabezado } from '../components/encabezado'
import { Llamada } from '../components/llamada'
import { Seccion } from '../components/seccion'
import { equipo } from '../content/equipo'

const TINTAS = ['coral', 'mar', 'rosa'] as const

/** The three directors (F-191). */
function Directoras() {
  return (
    <ul className="grid gap-x-6 gap-y-12 sm:grid-cols-3 lg:gap-x-8">
      {equipo.directoras.lista.map(({ cargo, nombre, texto, slot }, i) => (
        <li key={cargo}>
          <Lamina slot={slot} tinta={TINTAS[i] ?? 'coral'} sizes="(min-width: 1024px) 373px, 50vw" />
          <h3 className="titulo-3 mt-6">{cargo}</h3>
          <p className="text-suave">{nombre}</p>
          <p className="mt-1">{texto}</p>
        </li>
      ))}
    </ul>
  )
}

/** The photo grid (F-190). */
function Grupo() {
  return (
    <>
      <p className="max-w-prose">{equipo.grupo.texto}</p>
      <ul className="mt-8 grid grid-cols-2 gap-3 lg:grid-cols-4">
        {equipo.grupo.cuadros.map((slot) => (
          <li key={slot}>
            <Imagen slot={slot} sizes="(min-width: 1024px) 290px, 50vw" className="border-borde h-auto w-full rounded-sm border-2" />
          </li>
        ))}
      </ul>
    </>
  )
}

/** The four blocks of the philosophy (F-193). */
function Filosofia() {
  return (
    <ul className="grid gap-6 sm:grid-cols-2">
      {equipo.filosofia.lista.map(({ nombre, texto }) => (
        <li key={nombre} className="marco p-6">
          <h3 className="titulo-3">{nombre}</h3>
          <p className="mt-2">{texto}</p>
        </li>
      ))}
    </ul>
  )
}

/** /equipo: who leads, how they work and what they believe. */
export default function Equipo() {
  return (
    <>
      <Encabezado titulo={equipo.titulo} entrada={equipo.entrada} imagen="cabecera-equipo" />
      <Seccion titulo={equipo.directoras.titulo}>
        <Directoras />
      </Seccion>
      <Seccion titulo={equipo.grupo.titulo} className="pt-0">
        <Grupo />
      </Seccion>
      <Seccion titulo={equipo.filosofia.titulo} className="pt-0">
        <Filosofia />
      </Seccion>
      <Llamada titulo={equipo.llamada.titulo} texto={equipo.llamada.texto}>
        <Link className={boton('primario')} to="/contacto">
          {equipo.llamada.boton}
        </Link>
      </Llamada>
    </>
  )
}
