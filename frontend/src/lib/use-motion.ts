import { useSyncExternalStore } from 'react'

const STILL = '(prefers-reduced-motion: reduce)'

/** Whether the visitor prefers reduced motion (P-09). */
export function useReducedMotion(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const medium = matchMedia(STILL)
      medium.addEventListener('change', onChange)
      return () => medium.removeEventListener('change', onChange)
    },
    () => matchMedia(STILL).matches,
    () => false,
  )
}

/** Whether the tab is visible. */
export function useInView(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      document.addEventListener('visibilitychange', onChange)
      return () => document.removeEventListener('visibilitychange', onChange)
    },
    () => document.visibilityState === 'visible',
    () => true,
  )
}
