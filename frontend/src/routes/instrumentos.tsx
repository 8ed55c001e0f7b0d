import { IconoInstrumento } from '../art/icono-instrumento'
import { Imagen } from '../art/imagen'
import { Acordeon } from '../components/acordeon'
import { boton } from '../components/boton'
import { Seccion } from '../components/seccion'
import { instrumentos } from '../content/instrumentos'
import { FormularioInstrumento } from '../features/instrumentos/formulario-instrumento'

/** The seven instruments in one list; the last card is wide (D-03). */
function Catalogo() {
  return (
    <ul className="grid gap-5 sm:grid-cols-2 lg:grid-cols-3">
      {instrumentos.lista.map(({ icono, nombre, texto }) => (
        <li key={icono} className="marco flex-row items-center gap-5 p-4 ritmo last:sm:col-span-2 last:lg:col-span-3">
          <IconoInstrumento nombre={icono} className="size-20 shrink-0" />
          <div>
            <h3 className="titulo-3">{nombre}</h3>
            <p className="mt-1">{texto}</p>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** What comes with an instrument (F-222). */
function Detalles() {
  return (
    <ul className="grid gap-6 md:grid-cols-3">
      {instrumentos.detalles.lista.map(({ nombre, texto }) => (
        <li key={nombre} className="tarjeta">
          <h3 className="titulo-3">{nombre}</h3>
          <p className="mt-2">{texto}</p>
        </li>
      ))}
    </ul>
  )
}

/** /instrumentos: what can be learnt, and how to borrow one. */
export default function Instrumentos() {
  const { introduccion, catalogo, detalles, preguntas, formulario } = instrumentos
  return (
    <>
      <div className="portada-arte">
        <Imagen slot="instrumentos-hero" priority className="portada" />
        <div className="contenedor">
          <div className="cartel-papel portada-cartel">
            <h1 className="titulo-1">{instrumentos.titulo}</h1>
            <p className="entrada mt-4">{instrumentos.entrada}</p>
            <a href="#solicitud" className={`${boton('primario')} mt-5`}>
              {instrumentos.pedir}
            </a>
          </div>
        </div>
      </div>
      <Seccion>
        <div className="lg:grid lg:grid-cols-[minmax(0,1fr)_minmax(0,3fr)] lg:gap-10">
          <section aria-labelledby="titulo-introduccion" className="self-start lg:sticky lg:top-24">
            <h2 id="titulo-introduccion" className="titulo-2">
              {introduccion.titulo}
            </h2>
            <p className="mt-4 mb-10 max-w-prose">{introduccion.texto}</p>
          </section>
          <section aria-labelledby="titulo-catalogo">
            <h2 id="titulo-catalogo" className="titulo-2 mb-6">
              {catalogo}
            </h2>
            <Catalogo />
          </section>
        </div>
      </Seccion>
      <Seccion titulo={detalles.titulo} className="bg-banda border-linea border-y-2">
        <Detalles />
      </Seccion>
      <div className="contenedor seccion grid gap-12 lg:grid-cols-2 lg:gap-16">
        <section aria-labelledby="titulo-preguntas" className="self-start lg:sticky lg:top-24">
          <h2 id="titulo-preguntas" className="titulo-2 mb-6">
            {preguntas.titulo}
          </h2>
          <Acordeon nombre="instrumentos" preguntas={preguntas.lista} />
        </section>
        <section id="solicitud" aria-labelledby="titulo-solicitud">
          <h2 id="titulo-solicitud" className="titulo-2">
            {formulario.titulo}
          </h2>
          <p className="mt-3 mb-6">{formulario.texto}</p>
          <FormularioInstrumento />
        </section>
      </div>
    </>
  )
}
