import { Link } from 'react-router-dom'
import { Encabezado } from '../components/encabezado'
import { Seccion } from '../components/seccion'
import { privacidad } from '../content/privacidad'

/** /privacidad: what is received, why, and for how long (P-14). */
export default function Privacidad() {
  return (
    <>
      <Encabezado titulo={privacidad.titulo} entrada={privacidad.entrada} imagen="historia-5" />
      <Seccion>
        <div className="max-w-prose space-y-10">
          {privacidad.secciones.map(({ titulo, parrafos }) => (
            <section key={titulo}>
              <h2 className="titulo-3">{titulo}</h2>
              {parrafos.map((parrafo) => (
                <p key={parrafo} className="mt-3">
                  {parrafo}
                </p>
              ))}
            </section>
          ))}
          <p>
            <Link className="enlace inline-flex min-h-11 items-center" to={privacidad.asunto}>
              {privacidad.contacto}
            </Link>
          </p>
          <p className="text-suave text-sm">{privacidad.actualizado}</p>
        </div>
      </Seccion>
    </>
  )
}
