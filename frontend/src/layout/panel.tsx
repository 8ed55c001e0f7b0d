import { Signo } from '../components/signo'
import { useState } from 'react'
import { t } from '../i18n/es'
import { EnlacePagina } from './enlace-pagina'
import { GRUPOS, type Grupo } from './menu'

const FILA =
  'flex min-h-13 w-full items-center justify-between border-linea border-b-2 px-1 text-lg font-semibold aria-[current=page]:text-acento'

/** A group that expands by itself (F-015). */
function Expansible({ grupo, alElegir }: { grupo: Grupo; alElegir: () => void }) {
  const [abierto, setAbierto] = useState(false)
  return (
    <li>
      <button
        type="button"
        className={FILA}
        aria-expanded={abierto}
        aria-controls={`panel-${grupo.id}`}
        onClick={() => setAbierto(!abierto)}
      >
        {grupo.texto}
        <Signo nombre="abajo" className={abierto ? 'rotate-180' : ''} />
      </button>
      <ul id={`panel-${grupo.id}`} hidden={!abierto} className="pl-5">
        {grupo.entradas.map(({ a, texto }) => (
          <li key={a}>
            <EnlacePagina to={a} className={FILA} onClick={alElegir}>
              {texto}
            </EnlacePagina>
          </li>
        ))}
      </ul>
    </li>
  )
}

/** The menu of narrow screens: it covers the page and scrolls by itself; choosing a link closes it. */
export function Panel({ alElegir }: { alElegir: () => void }) {
  return (
    <div
      id="panel-menu"
      className="bg-fondo absolute inset-x-0 top-full h-[calc(100dvh-3.5rem)] overflow-y-auto overscroll-contain px-5 pt-2 pb-10 sm:h-[calc(100dvh-4rem)] lg:hidden"
    >
      <ul>
        <li>
          <EnlacePagina to="/" className={FILA} onClick={alElegir}>
            {t.barra.inicio}
          </EnlacePagina>
        </li>
        {GRUPOS.map((grupo) => (
          <Expansible key={grupo.id} grupo={grupo} alElegir={alElegir} />
        ))}
        <li>
          <EnlacePagina to="/contacto" className={FILA} onClick={alElegir}>
            {t.barra.contactos}
          </EnlacePagina>
        </li>
      </ul>
    </div>
  )
}
