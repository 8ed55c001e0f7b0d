import { Link } from 'react-router-dom'
import { boton } from '../components/boton'
import { Seccion } from '../components/seccion'
import { inicio } from '../content/inicio'
import { Boletin } from '../features/boletin/boletin'
import { Cinta } from '../features/inicio/cinta'
import { Galeria } from '../features/inicio/galeria'
import { Proximos } from '../features/inicio/proximos'
import { Testimonios } from '../features/inicio/testimonios'

/** Who we are, printed on a sheet over the lower edge of the art (F-102). */
function Presentacion() {
  return (
    <div className="contenedor pointer-events-none relative z-10 -mt-4 pb-14 md:-mt-20 md:pb-20">
      <div className="cartel-papel pointer-events-auto mr-2 grid gap-x-12 gap-y-4 lg:grid-cols-[1.15fr_1fr] lg:items-end">
        <h1 className="titulo-1 lg:row-span-2 lg:self-center">{inicio.titulo}</h1>
        <div>
          <p className="entrada">{inicio.quienes}</p>
          <p className="font-titular text-acento mt-4 text-xl font-bold">{inicio.lema}</p>
        </div>
        <div className="mt-2 flex flex-wrap gap-3">
          <Link to="/donar" className={boton('primario')}>
            {inicio.donar}
          </Link>
          <Link to="/informacion" className={boton()}>
            {inicio.conocenos}
          </Link>
        </div>
      </div>
    </div>
  )
}

/** /: what the foundation is, what comes next, and how to take part. */
export default function Inicio() {
  return (
    <>
      <Galeria />
      <Presentacion />
      <Proximos />
      <Seccion titulo={inicio.testimonios.titulo}>
        <Testimonios />
      </Seccion>
      <Cinta />
      <Boletin />
    </>
  )
}
