import { Lamina } from '../art/lamina'
import { Acordeon } from '../components/acordeon'
import { boton } from '../components/boton'
import { Encabezado } from '../components/encabezado'
import { Seccion } from '../components/seccion'
import { voluntarios } from '../content/voluntarios'
import { FormularioVoluntario } from '../features/voluntarios/formulario-voluntario'

/** What volunteers take with them. */
function Beneficios() {
  return (
    <ul className="grid gap-6 sm:grid-cols-2 lg:grid-cols-4">
      {voluntarios.beneficios.lista.map(({ nombre, texto }) => (
        <li key={nombre} className="tarjeta">
          <h3 className="titulo-3">{nombre}</h3>
          <p className="mt-2">{texto}</p>
        </li>
      ))}
    </ul>
  )
}

/** Two stories, one beside the other. */
function Historias() {
  return (
    <ul className="grid gap-10 md:grid-cols-2 lg:gap-16">
      {voluntarios.historias.lista.map(({ slot, nombre, texto }, i) => (
        <li key={nombre} className="flex flex-col gap-6 sm:flex-row">
          <Lamina slot={slot} tinta={i ? 'mar' : 'rosa'} className="w-32 shrink-0 self-start" sizes="128px" />
          <figure>
            <blockquote className="text-lg">
              <p>«{texto}»</p>
            </blockquote>
            <figcaption className="mt-3 font-semibold">{nombre}</figcaption>
          </figure>
        </li>
      ))}
    </ul>
  )
}

/** /voluntarios: why and how to help. */
export default function Voluntarios() {
  const { beneficios, historias, formulario, preguntas } = voluntarios
  return (
    <>
      <Encabezado titulo={voluntarios.titulo} entrada={voluntarios.entrada} imagen="cabecera-voluntarios">
        <a href="#solicitud" className={boton('primario')}>
          {voluntarios.ayudar}
        </a>
      </Encabezado>
      <Seccion titulo={beneficios.titulo}>
        <Beneficios />
      </Seccion>
      <Seccion titulo={historias.titulo} className="bg-banda border-linea border-y-2">
        <Historias />
      </Seccion>
      <div className="contenedor seccion grid gap-12 lg:grid-cols-2 lg:gap-16">
        <section id="solicitud" aria-labelledby="titulo-solicitud">
          <h2 id="titulo-solicitud" className="titulo-2">
            {formulario.titulo}
          </h2>
          <p className="mt-3 mb-6">{formulario.texto}</p>
          <FormularioVoluntario />
        </section>
        <section aria-labelledby="titulo-preguntas" className="self-start lg:sticky lg:top-24">
          <h2 id="titulo-preguntas" className="titulo-2 mb-6">
            {preguntas.titulo}
          </h2>
          <Acordeon nombre="voluntarios" preguntas={preguntas.lista} />
        </section>
      </div>
    </>
  )
}
