import { Link } from '../../components/link'
import { inicio } from '../../content/inicio'

/** The number of programs, instruments and ensembles, as links. */
export function Figures() {
  return (
    <nav aria-label={inicio.figures.title} className="no-imprimir bg-superficie border-borde border-b-2">
      <ul className="contenedor divide-linea grid max-sm:divide-y sm:grid-cols-3 sm:gap-8 sm:py-4">
        {inicio.figures.list.map(({ number, what, to }) => (
          <li key={to}>
            <Link to={to} className="hover:text-acento flex min-h-11 items-center gap-4 py-3 font-semibold">
              <b className="font-titular text-acento text-4xl leading-none font-extrabold lg:text-5xl">{number}</b> {what}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
