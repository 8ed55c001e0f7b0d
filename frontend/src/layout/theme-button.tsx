import { Sign } from '../components/sign'
import { useSyncExternalStore } from 'react'
import { t } from '../i18n/es'

const DARK = '(prefers-color-scheme: dark)'

/** Follows the chosen theme and the browser's preference. */
function observe(onChange: () => void): () => void {
  const medium = matchMedia(DARK)
  const look = new MutationObserver(onChange)
  medium.addEventListener('change', onChange)
  look.observe(document.documentElement, { attributeFilter: ['data-tema'] })
  return () => {
    medium.removeEventListener('change', onChange)
    look.disconnect()
  }
}

const isDark = () => {
  const chosen = document.documentElement.dataset['tema']
  return chosen ? chosen === 'oscuro' : matchMedia(DARK).matches
}

function choose(theme: 'claro' | 'oscuro'): void {
  document.documentElement.dataset['tema'] = theme
  try {
    localStorage.setItem('tema', theme)
  } catch {
    // Storage may be forbidden. The choice then lasts until the page is closed.
  }
}

/** Changes between the light and the dark theme. Its size and frame are those of the footer unless others are given. */
export function ThemeButton({ className = 'size-11 rounded-sm border-2 border-current' }: { className?: string }) {
  const dark = useSyncExternalStore(observe, isDark, () => false)
  return (
    <button
      type="button"
      onClick={() => choose(dark ? 'claro' : 'oscuro')}
      aria-label={dark ? t.theme.toLight : t.theme.toDark}
      className={`grid place-items-center ${className}`}
    >
      {dark ? <Sign name="sun" /> : <Sign name="moon" />}
    </button>
  )
}
