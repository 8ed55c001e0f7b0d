import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { App } from './app'
import { TextProvider } from './i18n/text'
import { applyTheme } from './lib/theme'
import { preload } from './pages/pages'
import './styles/base.css'
import './styles/shell.css'
import './styles/data.css'
import { ToastProvider } from './ui/toasts'

applyTheme()
preload(location)
const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <TextProvider>
        <BrowserRouter>
          <ToastProvider>
            <App />
          </ToastProvider>
        </BrowserRouter>
      </TextProvider>
    </StrictMode>,
  )
}
