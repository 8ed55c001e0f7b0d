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

/** Changes between the light and the dark theme. */
export function ThemeButton() {
  const dark = useSyncExternalStore(observe, isDark, () => false)
  return (
    <button
      type="button"
      onClick={() => choose(dark ? 'claro' : 'oscuro')}
      aria-label={dark ? t.theme.toLight : t.theme.toDark}
      className="grid size-11 place-items-center rounded-sm border-2 border-current"
    >
      {dark ? <Sign name="sun" /> : <Sign name="moon" />}
    </button>
  )
}
