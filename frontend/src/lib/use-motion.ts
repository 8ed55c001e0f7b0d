import { useSyncExternalStore } from 'react'
import { useMedia } from './use-media'

/** Whether the visitor prefers reduced motion (P-09). */
export const useReducedMotion = () => useMedia('(prefers-reduced-motion: reduce)')

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
