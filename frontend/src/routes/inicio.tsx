import { Link } from 'react-router-dom'
import { boton } from '../components/boton'
import { Seccion } from '../components/seccion'
import { inicio } from '../content/inicio'
import { Boletin } from '../features/boletin/boletin'
import { Cinta } from '../features/inicio/cinta'
import { Galeria } from '../features/inicio/galeria'
import { Proximos } from '../features/inicio/proximos'
import { Testimonios } from '../features/inicio/testimonios'

/** Who we are, printed on a sheet over the art: on its calm left part, or over its lower edge where it is narrow (F-102). */
function Presentacion() {
  return (
    <div className="galeria-cartel pointer-events-none z-10 max-lg:relative max-lg:-mt-4 max-lg:pb-14 md:max-lg:-mt-10 md:max-lg:pb-20">
      <div className="contenedor">
        <div className="cartel-papel pointer-events-auto mr-2 grid gap-y-4">
          <h1 className="titulo-1">{inicio.titulo}</h1>
          <p className="entrada">{inicio.quienes}</p>
          <p className="font-titular text-acento text-xl font-bold">{inicio.lema}</p>
          <div className="mt-2 flex flex-wrap gap-3">
            <Link to="/donar" className={`${boton('primario')} max-sm:grow max-sm:px-4`}>
              {inicio.donar}
            </Link>
            <Link to="/informacion" className={`${boton()} max-sm:grow max-sm:px-4`}>
              {inicio.conocenos}
            </Link>
          </div>
        </div>
      </div>
    </div>
  )
}

/** /: what the foundation is, what comes next, and how to take part. */
export default function Inicio() {
  return (
    <>
      <div className="presentacion">
        <Galeria />
        <Presentacion />
      </div>
      <Proximos />
      <Seccion titulo={inicio.testimonios.titulo}>
        <Testimonios />
      </Seccion>
      <Cinta />
      <Boletin />
    </>
  )
}
