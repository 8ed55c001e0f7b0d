import { useSyncExternalStore } from 'react'

const NARROW = '(max-width: 639.98px)'

/** Whether the panel is as narrow as a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = matchMedia(NARROW)
      media.addEventListener('change', onChange)
      return () => media.removeEventListener('change', onChange)
    },
    () => matchMedia(NARROW).matches,
    () => false,
  )
}
