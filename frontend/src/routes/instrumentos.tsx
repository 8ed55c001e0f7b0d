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
          <IconoInstrumento nombre={icono} className="size-24 shrink-0" />
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
      <Imagen slot="instrumentos-hero" priority className="portada" />
      <div className="contenedor pt-10 md:pt-14">
        <h1 className="titulo-1">{instrumentos.titulo}</h1>
        <p className="entrada mt-5">{instrumentos.entrada}</p>
        <a href="#solicitud" className={`${boton('primario')} mt-7`}>
          {instrumentos.pedir}
        </a>
      </div>
      <Seccion titulo={introduccion.titulo}>
        <p className="max-w-prose text-lg">{introduccion.texto}</p>
      </Seccion>
      <Seccion titulo={catalogo} className="pt-0 md:pt-0">
        <Catalogo />
      </Seccion>
      <Seccion titulo={detalles.titulo} className="bg-banda border-linea border-y-2">
        <Detalles />
      </Seccion>
      <div className="contenedor seccion grid gap-12 lg:grid-cols-2 lg:gap-16">
        <section aria-labelledby="titulo-preguntas">
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
