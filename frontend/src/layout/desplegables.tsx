import { Signo } from '../components/signo'
import { type FocusEvent, type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { t } from '../i18n/es'
import { EnlacePagina } from './enlace-pagina'
import { GRUPOS, type Grupo } from './menu'

const ABRE_MS = 80
const CIERRA_MS = 200
const ENLACE = 'flex min-h-11 items-center px-3 font-semibold hover:text-acento aria-[current=page]:text-acento'

type PropsGrupo = {
  grupo: Grupo
  abierto: boolean
  actual: boolean
  alCambiar: (abierto: boolean, demora: number) => void
}

/** One dropdown: a button that discloses a list of links, by hover, focus or click. */
function Desplegable({ grupo, abierto, actual, alCambiar }: PropsGrupo) {
  const boton = useRef<HTMLButtonElement>(null)
  // Focus that comes by itself opens; that of a press, or given back by Escape, does not.
  const callado = useRef(false)
  const raton = (abrir: boolean) => (suceso: PointerEvent) => {
    if (suceso.pointerType === 'mouse') alCambiar(abrir, abrir ? ABRE_MS : CIERRA_MS)
  }
  const alEnfocar = () => {
    if (!callado.current) alCambiar(true, 0)
    callado.current = false
  }
  const alPulsar = () => {
    callado.current = false
    alCambiar(!abierto, 0)
  }
  const alSalir = (suceso: FocusEvent<HTMLLIElement>) => {
    if (!suceso.currentTarget.contains(suceso.relatedTarget)) alCambiar(false, 0)
  }
  const alTeclear = (suceso: KeyboardEvent) => {
    if (suceso.key !== 'Escape' || !abierto) return
    callado.current = document.activeElement !== boton.current
    boton.current?.focus()
    alCambiar(false, 0)
  }
  return (
    // The item only watches what happens inside it; its button and links are the controls.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li className="relative" onPointerEnter={raton(true)} onPointerLeave={raton(false)} onBlur={alSalir} onKeyDown={alTeclear}>
      <button
        ref={boton}
        type="button"
        aria-expanded={abierto}
        aria-controls={`menu-${grupo.id}`}
        onPointerDown={() => {
          callado.current = true
        }}
        onFocus={alEnfocar}
        onClick={alPulsar}
        className={`flex min-h-11 items-center gap-1 px-3 font-semibold hover:text-acento ${actual ? 'text-acento' : ''}`}
      >
        {grupo.texto}
        <Signo nombre="abajo" talla={18} className={abierto ? 'rotate-180' : ''} />
      </button>
      <ul
        id={`menu-${grupo.id}`}
        hidden={!abierto}
        className="border-borde bg-superficie absolute top-full left-0 min-w-52 rounded-sm border-2 py-1"
      >
        {grupo.entradas.map(({ a, texto }) => (
          <li key={a}>
            <EnlacePagina to={a} className={`${ENLACE} px-4`} onClick={() => alCambiar(false, 0)}>
              {texto}
            </EnlacePagina>
          </li>
        ))}
      </ul>
    </li>
  )
}

/** The links of the bar on wide screens, with two dropdowns of which one is open at a time. */
export function Desplegables() {
  const [abierto, setAbierto] = useState<Grupo['id'] | null>(null)
  const espera = useRef(0)
  const { pathname } = useLocation()
  useEffect(() => () => clearTimeout(espera.current), [])
  const cambiar = (id: Grupo['id']) => (abrir: boolean, demora: number) => {
    clearTimeout(espera.current)
    const hacer = () => setAbierto((antes) => (abrir ? id : antes === id ? null : antes))
    if (demora) espera.current = window.setTimeout(hacer, demora)
    else hacer()
  }
  return (
    <ul className="hidden items-center gap-1 lg:flex">
      <li>
        <EnlacePagina to="/" className={ENLACE}>
          {t.barra.inicio}
        </EnlacePagina>
      </li>
      {GRUPOS.map((grupo) => (
        <Desplegable
          key={grupo.id}
          grupo={grupo}
          abierto={abierto === grupo.id}
          actual={grupo.entradas.some(({ a }) => a === pathname)}
          alCambiar={cambiar(grupo.id)}
        />
      ))}
      <li>
        <EnlacePagina to="/contacto" className={ENLACE}>
          {t.barra.contactos}
        </EnlacePagina>
      </li>
    </ul>
  )
}
