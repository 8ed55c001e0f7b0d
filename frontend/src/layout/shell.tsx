import { type MouseEvent, type ReactNode, useRef, useState } from 'react'
import { t } from '../i18n/es'
import { useOffline } from '../lib/use-offline'
import { usePrinting } from '../lib/use-printing'
import { Bar } from './bar'
import { Letterhead } from './letterhead'
import { Footer } from './footer'
import { useArrival } from './use-arrival'

/** Bar, page and footer: the frame of every public page. */
export function Shell({ children }: { children: ReactNode }) {
  const [menuOpen, setMenuOpen] = useState(false)
  const content = useRef<HTMLElement>(null)
  const onPaper = usePrinting()
  const offline = useOffline()
  useArrival(content)
  // Replaces the history entry: going back to an entry with a fragment would move the focus to it again.
  const skip = (gesture: MouseEvent) => {
    gesture.preventDefault()
    content.current?.focus()
  }
  return (
    <div className="flex min-h-dvh flex-col">
      <a href="#contenido" onClick={skip} className="no-imprimir boton fixed -top-24 left-2 z-50 focus:top-2">
        {t.common.skip}
      </a>
      <Bar menuOpen={menuOpen} onMenuChange={setMenuOpen} />
      {onPaper ? <Letterhead /> : null}
      <div role="status" className="no-imprimir">
        {offline ? <p className="bg-banda border-linea border-b-2 px-4 py-2 text-center font-semibold">{t.offline.notice}</p> : null}
      </div>
      <main ref={content} id="contenido" tabIndex={-1} inert={menuOpen} className="grow outline-none">
        {children}
      </main>
      <div inert={menuOpen}>
        <Footer />
      </div>
    </div>
  )
}
