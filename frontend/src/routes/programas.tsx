import { Link } from 'react-router-dom'
import { Encabezado } from '../components/encabezado'
import { Seccion } from '../components/seccion'
import { programas } from '../content/programas'
import { ProgramasDestacados } from '../features/program-dialog/programas-destacados'

/** The two ways on: for those who play and for those who don't yet. */
function Siguientes() {
  const caminos = [
    { ...programas.ensambles, a: '/ensambles', clase: 'cartel-mar' },
    { ...programas.instrumentos, a: '/instrumentos', clase: 'cartel-sol' },
  ]
  return (
    <div className="grid gap-6 md:grid-cols-2">
      {caminos.map(({ titulo, texto, enlace, a, clase }) => (
        <section key={a} className={`cartel ${clase}`}>
          <h2 className="titulo-3">{titulo}</h2>
          <p className="mt-3">{texto}</p>
          <Link className="enlace-cartel mt-3 inline-flex min-h-11 items-center font-semibold" to={a}>
            {enlace}
          </Link>
        </section>
      ))}
    </div>
  )
}

/** /programas: the three featured programs. */
export default function Programas() {
  return (
    <>
      <Encabezado titulo={programas.titulo} entrada={programas.entrada} imagen="cabecera-programas" />
      <Seccion titulo={programas.destacados}>
        <ProgramasDestacados />
      </Seccion>
      <Seccion className="pt-0">
        <Siguientes />
      </Seccion>
    </>
  )
}
