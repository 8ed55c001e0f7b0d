import { useSyncExternalStore } from 'react'

/** Touch screens need higher rows than pointers, as in the styles of other controls. */
const TOUCH = matchMedia('(max-width: 800px), (pointer: coarse)')

function subscribe(changed: () => void): () => void {
  TOUCH.addEventListener('change', changed)
  return () => TOUCH.removeEventListener('change', changed)
}

/** The height of a table's rows in pixels, which depends on the screen. */
export const useRowHeight = (): number => useSyncExternalStore(subscribe, () => (TOUCH.matches ? 44 : 30))
