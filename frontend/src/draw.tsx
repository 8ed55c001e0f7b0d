import { useLocation } from 'react-router-dom'
import { type ReactNode, StrictMode, startTransition, useEffect } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { App } from './app'
import { AppRouter } from './app-router'
import { useKeptPages } from './lib/use-kept-pages'

/** Notifies the script that has recorded the visitor's first gestures that the page is hydrated (public/start.js). */
function Live({ children }: { children: ReactNode }) {
  useEffect(() => {
    dispatchEvent(new Event('vivo'))
  }, [])
  useKeptPages(useLocation().pathname)
  return children
}

/** Renders the site. It hydrates a prerendered page. */
export function render(root: HTMLElement, prerendered: boolean): void {
  const tree = (
    <StrictMode>
      <AppRouter>
        <Live>
          <App />
        </Live>
      </AppRouter>
    </StrictMode>
  )
  // A transition yields to the visitor's actions between its steps.
  if (prerendered) startTransition(() => void hydrateRoot(root, tree))
  else createRoot(root).render(tree)
}
