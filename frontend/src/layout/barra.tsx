import { Signo } from '../components/signo'
import { type KeyboardEvent, useRef } from 'react'
import { Logo } from '../art/logo'
import { boton } from '../components/boton'
import { t } from '../i18n/es'
import { Desplegables } from './desplegables'
import { EnlacePagina } from './enlace-pagina'
import { Panel } from './panel'

type Props = { menuAbierto: boolean; alCambiarMenu: (abierto: boolean) => void }

/** The site's bar: always in sight, with the one highlighted action (F-010…F-016). */
export function Barra({ menuAbierto, alCambiarMenu }: Props) {
  const botonMenu = useRef<HTMLButtonElement>(null)
  const alTeclear = (suceso: KeyboardEvent) => {
    if (suceso.key !== 'Escape' || !menuAbierto) return
    alCambiarMenu(false)
    botonMenu.current?.focus()
  }
  return (
    // The bar only watches for Escape from the controls inside it.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <header
      className="no-imprimir border-borde bg-fondo sticky top-0 z-40 border-b-2"
      data-menu-abierto={menuAbierto}
      onKeyDown={alTeclear}
    >
      <nav aria-label={t.barra.etiqueta} className="contenedor flex h-14 items-center gap-2 sm:gap-3 sm:h-16">
        <EnlacePagina
          to="/"
          aria-label={t.barra.irInicio}
          className="mr-auto flex min-h-11 items-center"
          onClick={() => alCambiarMenu(false)}
        >
          <Logo variante="completo" className="h-9 w-auto max-[359px]:h-7 sm:h-12" />
        </EnlacePagina>
        <Desplegables />
        <EnlacePagina
          to="/donar"
          className={`${boton('primario')} px-4 whitespace-nowrap max-sm:px-2.5 max-sm:text-[0.9375rem]`}
          onClick={() => alCambiarMenu(false)}
        >
          {t.barra.donar}
        </EnlacePagina>
        <button
          ref={botonMenu}
          type="button"
          aria-expanded={menuAbierto}
          aria-controls="panel-menu"
          aria-label={menuAbierto ? t.barra.cerrarMenu : t.barra.abrirMenu}
          onClick={() => alCambiarMenu(!menuAbierto)}
          className="border-borde bg-superficie grid size-11 shrink-0 place-items-center rounded-sm border-2 lg:hidden"
        >
          {menuAbierto ? <Signo nombre="cerrar" /> : <Signo nombre="menu" />}
        </button>
        {menuAbierto ? <Panel alElegir={() => alCambiarMenu(false)} /> : null}
      </nav>
    </header>
  )
}
