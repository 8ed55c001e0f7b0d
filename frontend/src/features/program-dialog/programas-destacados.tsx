import { useState } from 'react'
import { Link } from 'react-router-dom'
import { Lamina } from '../../art/lamina'
import { boton } from '../../components/boton'
import { Dialogo } from '../../components/dialogo'
import { type Programa, programas } from '../../content/programas'

const TINTAS = ['coral', 'mar', 'sol'] as const

/** A program's card. */
function Ficha({ programa, tinta, alAbrir }: { programa: Programa; tinta: (typeof TINTAS)[number]; alAbrir: () => void }) {
  return (
    <li className="estampa">
      <Lamina slot={programa.slot} tinta={tinta} sizes="(min-width: 768px) 373px, 100vw" />
      <div className="estampa-texto">
        <p className="etiqueta self-start">{programa.dato}</p>
        <h3 className="titulo-3 mt-3">{programa.titulo}</h3>
        <p className="mt-2 mb-5">{programa.descripcion}</p>
        <button type="button" className={`${boton('secundario')} self-start lg:mt-auto`} aria-haspopup="dialog" onClick={alAbrir}>
          {programas.verDetalles}
          <span className="sr-only"> {programa.titulo}</span>
        </button>
      </div>
    </li>
  )
}

/** The three featured programs; at most one dialog is open. */
export function ProgramasDestacados() {
  const [abierto, setAbierto] = useState<Programa | null>(null)
  return (
    <>
      <ul className="grid gap-x-8 gap-y-14 lg:grid-cols-3">
        {programas.lista.map((programa, i) => (
          <Ficha key={programa.id} programa={programa} tinta={TINTAS[i % 3] ?? 'coral'} alAbrir={() => setAbierto(programa)} />
        ))}
      </ul>
      <Dialogo abierto={abierto !== null} alCerrar={() => setAbierto(null)} titulo={abierto?.titulo ?? ''}>
        {abierto ? (
          <div className="flex flex-col gap-4">
            {abierto.detalles.map((parrafo) => (
              <p key={parrafo}>{parrafo}</p>
            ))}
            <Link
              className={`${boton('primario')} self-start`}
              to={`/contacto?asunto=${encodeURIComponent(`${programas.asunto} ${abierto.titulo}`)}`}
            >
              {programas.inscribirse}
            </Link>
          </div>
        ) : null}
      </Dialogo>
    </>
  )
}
