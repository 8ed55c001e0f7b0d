import { useSyncExternalStore } from 'react'

const PAPER = 'print'

/** Whether a print is in progress, for browsers whose media query changes only afterwards. */
let printing = false

function watchOver(onChange: () => void): () => void {
  const begin = () => {
    printing = true
    onChange()
  }
  const finish = () => {
    printing = false
    onChange()
  }
  const medium = matchMedia(PAPER)
  medium.addEventListener('change', onChange)
  addEventListener('beforeprint', begin)
  addEventListener('afterprint', finish)
  return () => {
    medium.removeEventListener('change', onChange)
    removeEventListener('beforeprint', begin)
    removeEventListener('afterprint', finish)
  }
}

/** Whether the page is being printed (P-18). Parts that only paper shows are not in the page otherwise. */
export function usePrinting(): boolean {
  return useSyncExternalStore(
    watchOver,
    () => printing || matchMedia(PAPER).matches,
    () => false,
  )
}
