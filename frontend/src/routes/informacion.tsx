import { Link } from 'react-router-dom'
import { Lamina } from '../art/lamina'
import { boton } from '../components/boton'
import { Encabezado } from '../components/encabezado'
import { Llamada } from '../components/llamada'
import { Seccion } from '../components/seccion'
import { acerca } from '../content/acerca'
import { EscalaDeValores } from '../features/values/escala-de-valores'

/** What the foundation wants and its first work. */
function Proposito() {
  const { objetivo, proyecto } = acerca
  return (
    <div className="grid items-center gap-10 lg:grid-cols-2 lg:gap-16">
      <div className="flex flex-col gap-10">
        {[objetivo, proyecto].map(({ titulo, texto, detalle }) => (
          <section key={titulo} className="max-w-prose">
            <h2 className="titulo-2">{titulo}</h2>
            <p className="mt-4 text-lg font-semibold">{texto}</p>
            <p className="mt-3">{detalle}</p>
          </section>
        ))}
      </div>
      <Lamina slot="acerca-2" tinta="sol" sizes="(min-width: 1024px) 560px, 100vw" />
    </div>
  )
}

/** Mission and vision, side by side as two posters. */
function MisionYVision() {
  const carteles = [
    { ...acerca.mision, clase: 'cartel-mar' },
    { ...acerca.vision, clase: 'cartel-sol' },
  ]
  return (
    <div className="grid gap-6 md:grid-cols-2">
      {carteles.map(({ titulo, texto, clase }) => (
        <section key={titulo} className={`cartel ${clase}`}>
          <h2 className="text-lg font-semibold">{titulo}</h2>
          <p className="font-titular mt-4 text-xl leading-snug font-bold lg:text-2xl">{texto}</p>
        </section>
      ))}
    </div>
  )
}

/** The four programs of the school (F-142). */
function Programas() {
  const { programas } = acerca
  return (
    <>
      <ul className="grid gap-6 md:grid-cols-2">
        {programas.lista.map((programa) => (
          <li key={programa.nombre} className="marco p-6">
            <p className="etiqueta">{programa.edades}</p>
            <h3 className="titulo-3 mt-3">{programa.nombre}</h3>
            <p className="mt-2">{programa.texto}</p>
            {'instrumentos' in programa ? (
              <ul className="mt-4 flex flex-wrap gap-2">
                {programa.instrumentos.map((instrumento) => (
                  <li key={instrumento} className="ficha">
                    {instrumento}
                  </li>
                ))}
              </ul>
            ) : null}
          </li>
        ))}
      </ul>
      <p className="mt-8 flex flex-wrap gap-x-8 gap-y-3">
        <Link className="enlace" to="/instrumentos">
          {programas.enlaceInstrumentos}
        </Link>
        <Link className="enlace" to="/ensambles">
          {programas.enlaceEnsambles}
        </Link>
      </p>
    </>
  )
}

/** /informacion: purpose, mission, vision, values and programs. */
export default function Informacion() {
  return (
    <>
      <Encabezado titulo={acerca.titulo} entrada={acerca.entrada} imagen="cabecera-informacion" />
      <Seccion>
        <Proposito />
      </Seccion>
      <Seccion className="pt-0">
        <MisionYVision />
      </Seccion>
      <Seccion titulo={acerca.valores.titulo} className="pt-0">
        <EscalaDeValores />
      </Seccion>
      <Seccion titulo={acerca.programas.titulo} className="pt-0">
        <Programas />
      </Seccion>
      <Llamada titulo={acerca.llamada.titulo} texto={acerca.llamada.texto}>
        <Link className={boton('primario')} to="/donar">
          {acerca.llamada.boton}
        </Link>
      </Llamada>
    </>
  )
}
