import { type ReactNode, StrictMode, startTransition, useEffect } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { App } from './app'
import { Enrutador } from './enrutador'

/** Says that the page is live, to what kept the visitor's first gestures for it (public/arranque.js). */
function Vivo({ children }: { children: ReactNode }) {
  useEffect(() => {
    dispatchEvent(new Event('vivo'))
  }, [])
  return children
}

/** Draws the site, over the prerendered page where there is one. */
export function dibujar(raiz: HTMLElement, prerendida: boolean): void {
  const arbol = (
    <StrictMode>
      <Enrutador>
        <Vivo>
          <App />
        </Vivo>
      </Enrutador>
    </StrictMode>
  )
  // As a transition it gives way to the visitor's own doings between its steps.
  if (prerendida) startTransition(() => void hydrateRoot(raiz, arbol))
  else createRoot(raiz).render(arbol)
}
