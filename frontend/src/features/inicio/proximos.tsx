import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router-dom'
import { SinGuion } from '../../components/sin-guion'
import { Vacio } from '../../components/vacio'
import { inicio } from '../../content/inicio'
import { t } from '../../i18n/es'
import { alMirar } from '../../lib/momento'
import { useEventos } from '../../lib/use-eventos'
import { HuesosEventos } from '../eventos/huesos-eventos'

const CUANTOS = 3
const ListaProximos = lazy(() => import('./lista-proximos'))

/** The next three events, live, with a modal whose address can be shared (F-103…F-107, P-02). */
export function Proximos() {
  const [desde] = useState(() => new Date())
  const estado = useEventos('proximos', (enVivo, oyente) => enVivo.escucharProximos(desde, CUANTOS, oyente), alMirar)
  // An error is shown as an empty list (D-17); the console has it.
  const eventos = estado.fase === 'datos' ? estado.eventos : []
  return (
    <section aria-labelledby="titulo-eventos" className="seccion bg-banda border-linea border-y-2">
      <div className="contenedor">
        <h2 id="titulo-eventos" className="titulo-2 mb-8">
          {inicio.eventos}
        </h2>
        {estado.fase === 'cargando' ? <SinGuion texto={t.sinGuion.eventos} /> : null}
        <div role="status" className="solo-vivo">
          {estado.fase === 'cargando' ? <p className="mb-6">{t.eventos.cargando}</p> : null}
          {estado.fase !== 'cargando' && eventos.length === 0 ? <Vacio>{t.eventos.ninguno}</Vacio> : null}
        </div>
        {estado.fase === 'cargando' ? (
          <div className="solo-vivo">
            <HuesosEventos />
          </div>
        ) : null}
        {eventos.length > 0 ? (
          <Suspense fallback={<HuesosEventos />}>
            <ListaProximos eventos={eventos} />
          </Suspense>
        ) : null}
        <Link to="/calendario" className="enlace mt-6 inline-flex min-h-11 items-center font-semibold">
          {inicio.verTodos}
        </Link>
      </div>
    </section>
  )
}
