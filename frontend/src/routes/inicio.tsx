import { Link } from 'react-router-dom'
import { boton } from '../components/boton'
import { Seccion } from '../components/seccion'
import { inicio } from '../content/inicio'
import { Boletin } from '../features/boletin/boletin'
import { Cinta } from '../features/inicio/cinta'
import { Galeria } from '../features/inicio/galeria'
import { Proximos } from '../features/inicio/proximos'
import { Testimonios } from '../features/inicio/testimonios'

/** Who we are, beside the art, or below it where it is narrow: neither covers the other (F-102). */
function Presentacion() {
  return (
    <div className="presentacion-texto">
      <div className="presentacion-caja">
        <div className="grid gap-y-4">
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
