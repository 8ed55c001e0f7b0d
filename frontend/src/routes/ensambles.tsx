import { Link } from 'react-router-dom'
import { boton } from '../components/boton'
import { Encabezado } from '../components/encabezado'
import { Llamada } from '../components/llamada'
import { Seccion } from '../components/seccion'
import { ensambles } from '../content/ensambles'
import { Conciertos } from '../features/ensembles/conciertos'
import { FichasEnsambles } from '../features/ensembles/fichas'

/** /ensambles: the three ensembles, their concerts, how to reserve and how to join. */
export default function Ensambles() {
  const { reservas, audicion } = ensambles
  return (
    <>
      <Encabezado titulo={ensambles.titulo} entrada={ensambles.entrada} imagen="cabecera-ensambles" />
      <Seccion titulo={ensambles.destacados}>
        <FichasEnsambles />
      </Seccion>
      <Seccion titulo={ensambles.proximos} className="pt-0">
        <Conciertos />
      </Seccion>
      <Seccion titulo={reservas.titulo} id="reservas" className="pt-0">
        <div className="cartel cartel-mar max-w-3xl">
          <p className="text-lg">{reservas.texto}</p>
          <Link className="enlace-cartel mt-2 inline-flex min-h-11 items-center font-semibold" to={reservas.destino}>
            {reservas.enlace}
          </Link>
        </div>
      </Seccion>
      <Llamada titulo={audicion.titulo} texto={audicion.texto}>
        <Link className={boton('primario')} to={audicion.destino}>
          {audicion.boton}
        </Link>
      </Llamada>
    </>
  )
}
