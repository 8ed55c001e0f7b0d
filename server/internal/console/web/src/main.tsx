import { StrictMode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { loadSession, type Session } from './api/session'
import { App } from './app'
import { TextProvider } from './i18n/text'
import { restoreDrafts } from './lib/drafts'
import { applyTheme } from './lib/theme'
import { preload } from './pages/pages'
import './styles/base.css'
import './styles/shell.css'
import './styles/data.css'
import './styles/tables.css'
import { ToastProvider } from './ui/toasts'

/** How long the first rendering waits for the session, the page's code and its documents, so that one rendering shows all of them. */
const FIRST_MS = 250

/** Renders the console, for a session if it is loaded. */
function render(session: Session | null): void {
  const root = document.getElementById('root')
  if (!root) return
  const page = (
    <StrictMode>
      <TextProvider>
        <BrowserRouter>
          <ToastProvider>
            <App session={session} />
          </ToastProvider>
        </BrowserRouter>
      </TextProvider>
    </StrictMode>
  )
  // Everything is loaded, so one synchronous rendering is fastest.
  flushSync(() => createRoot(root).render(page))
}

applyTheme()
restoreDrafts()
const late = new Promise<null>((done) => setTimeout(() => done(null), FIRST_MS))
const both = Promise.all([loadSession(), preload(location)]).then(([session]) => session)
// The component that needs failed data loads them again and shows the error.
void Promise.race([both, late])
  .catch(() => null)
  .then(render)
