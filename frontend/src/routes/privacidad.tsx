import { Link } from 'react-router-dom'
import { boton } from '../components/boton'
import { Encabezado } from '../components/encabezado'
import { Seccion } from '../components/seccion'
import { privacidad } from '../content/privacidad'

/** /privacidad: what is received, why, and for how long (P-14). */
export default function Privacidad() {
  return (
    <>
      <Encabezado titulo={privacidad.titulo} entrada={privacidad.entrada} imagen="cabecera-privacidad" />
      <Seccion>
        <div className="grid gap-12 lg:grid-cols-[minmax(0,1fr)_22rem] lg:gap-16">
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
          </div>
          <aside className="marco self-start p-6 lg:sticky lg:top-24">
            <h2 className="titulo-3">{privacidad.ayuda.titulo}</h2>
            <p className="mt-2 mb-5">{privacidad.ayuda.texto}</p>
            <Link className={`${boton('primario')} self-start`} to={privacidad.asunto}>
              {privacidad.contacto}
            </Link>
            <p className="text-suave mt-5 text-sm">{privacidad.actualizado}</p>
          </aside>
        </div>
      </Seccion>
    </>
  )
}
