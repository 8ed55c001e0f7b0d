import { useLocation } from 'react-router-dom'
import { type ReactNode, StrictMode, startTransition, useEffect } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { App } from './app'
import { AppRouter } from './app-router'
import { useKeptPages } from './lib/use-kept-pages'

/** Reports that the page is hydrated to the script that has recorded the visitor's first gestures (public/start.js). */
function Live({ children }: { children: ReactNode }) {
  useEffect(() => {
    dispatchEvent(new Event('vivo'))
  }, [])
  useKeptPages(useLocation().pathname)
  return children
}

/** Draws the site, over the prerendered page where there is one. */
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
  // As a transition it gives way to the visitor's own doings between its steps.
  if (prerendered) startTransition(() => void hydrateRoot(root, tree))
  else createRoot(root).render(tree)
}
