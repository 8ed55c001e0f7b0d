import { Signo } from '../components/signo'
import { useSyncExternalStore } from 'react'
import { t } from '../i18n/es'

const OSCURO = '(prefers-color-scheme: dark)'

/** Follows the chosen theme and the browser's preference. */
function observar(alCambiar: () => void): () => void {
  const medio = matchMedia(OSCURO)
  const mirada = new MutationObserver(alCambiar)
  medio.addEventListener('change', alCambiar)
  mirada.observe(document.documentElement, { attributeFilter: ['data-tema'] })
  return () => {
    medio.removeEventListener('change', alCambiar)
    mirada.disconnect()
  }
}

const esOscuro = () => {
  const elegido = document.documentElement.dataset['tema']
  return elegido ? elegido === 'oscuro' : matchMedia(OSCURO).matches
}

function elegir(tema: 'claro' | 'oscuro'): void {
  document.documentElement.dataset['tema'] = tema
  try {
    localStorage.setItem('tema', tema)
  } catch {
    // Storage may be forbidden: the choice then lasts as long as the page.
  }
}

/** Changes between the light and the dark theme. */
export function BotonTema() {
  const oscuro = useSyncExternalStore(observar, esOscuro, () => false)
  return (
    <button
      type="button"
      onClick={() => elegir(oscuro ? 'claro' : 'oscuro')}
      aria-label={oscuro ? t.tema.aClaro : t.tema.aOscuro}
      className="grid size-11 place-items-center rounded-sm border-2 border-current"
    >
      {oscuro ? <Signo nombre="sol" /> : <Signo nombre="luna" />}
    </button>
  )
}
