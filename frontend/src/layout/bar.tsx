import { Sign } from '../components/sign'
import { type KeyboardEvent, useRef } from 'react'
import { Logo } from '../art/logo'
import { buttonClasses } from '../components/button-classes'
import { t } from '../i18n/es'
import { Dropdowns } from './dropdowns'
import { PageLink } from './page-link'
import { Panel } from './panel'

type Props = { menuOpen: boolean; onMenuChange: (open: boolean) => void }

/** The site's bar. It is always visible and contains the highlighted action (F-010…F-016). */
export function Bar({ menuOpen, onMenuChange }: Props) {
  const menuButton = useRef<HTMLButtonElement>(null)
  const onKey = (gesture: KeyboardEvent) => {
    if (gesture.key !== 'Escape' || !menuOpen) return
    onMenuChange(false)
    menuButton.current?.focus()
  }
  return (
    // The bar only watches for Escape from the controls inside it.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <header className="no-imprimir border-borde bg-fondo sticky top-0 z-40 border-b-2" data-menu-abierto={menuOpen} onKeyDown={onKey}>
      <nav aria-label={t.bar.label} className="contenedor flex h-14 items-center gap-2 sm:gap-3 sm:h-16">
        <PageLink to="/" aria-label={t.bar.goHome} className="mr-auto flex min-h-11 items-center" onClick={() => onMenuChange(false)}>
          <Logo variant="completo" className="h-9 w-auto max-[359px]:h-7 sm:h-12" />
        </PageLink>
        <Dropdowns />
        <PageLink
          to="/donar"
          className={`${buttonClasses('primario')} px-4 whitespace-nowrap max-sm:px-2.5 max-sm:text-[0.9375rem]`}
          onClick={() => onMenuChange(false)}
        >
          {t.bar.donar}
        </PageLink>
        <button
          ref={menuButton}
          type="button"
          aria-expanded={menuOpen}
          aria-controls="panel-menu"
          aria-label={menuOpen ? t.bar.closeMenu : t.bar.openMenu}
          onClick={() => onMenuChange(!menuOpen)}
          className="border-borde bg-superficie grid size-11 shrink-0 place-items-center rounded-sm border-2 lg:hidden"
        >
          {menuOpen ? <Sign name="close" /> : <Sign name="menu" />}
        </button>
        {menuOpen ? <Panel onChoose={() => onMenuChange(false)} /> : null}
      </nav>
    </header>
  )
}
