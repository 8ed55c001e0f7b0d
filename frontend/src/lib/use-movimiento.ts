import { useSyncExternalStore } from 'react'

const QUIETO = '(prefers-reduced-motion: reduce)'

/** Whether the visitor asked for less motion (P-09). */
export function usePocoMovimiento(): boolean {
  return useSyncExternalStore(
    (alCambiar) => {
      const medio = matchMedia(QUIETO)
      medio.addEventListener('change', alCambiar)
      return () => medio.removeEventListener('change', alCambiar)
    },
    () => matchMedia(QUIETO).matches,
    () => false,
  )
}

/** Whether the tab is in sight. */
export function useALaVista(): boolean {
  return useSyncExternalStore(
    (alCambiar) => {
      document.addEventListener('visibilitychange', alCambiar)
      return () => document.removeEventListener('visibilitychange', alCambiar)
    },
    () => document.visibilityState === 'visible',
    () => true,
  )
}
