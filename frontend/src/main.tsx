import { type ReactNode, StrictMode, startTransition, useEffect } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { App } from './app'
import { Enrutador } from './enrutador'
import { cargar, rutaDe } from './rutas'
import './styles/index.css'

/** Says that the page is live, to what kept the visitor's first gestures for it (public/arranque.js). */
function Vivo({ children }: { children: ReactNode }) {
  useEffect(() => {
    dispatchEvent(new Event('vivo'))
  }, [])
  return children
}

/** Draws the site, over the prerendered page where there is one, once the page's own chunk is here. */
async function arrancar(): Promise<void> {
  const raiz = document.getElementById('raiz')
  if (!raiz) throw new Error('index.html has no #raiz')
  // A reload keeps the history entry's state, but not the page that was under its modal.
  history.replaceState(null, '')
  const ruta = rutaDe(location.pathname)
  const prerendida = raiz.dataset['ruta'] === ruta
  // Without its chunk the page shows its own way on; see Pagina.
  await cargar(ruta).catch(() => undefined)
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

void arrancar()
