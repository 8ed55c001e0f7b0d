import { useSyncExternalStore } from 'react'

const nunca = () => () => undefined

/** Whether the page is alive: false in prerendered HTML and in the first client render, true from then on. */
export function useHidratado(): boolean {
  return useSyncExternalStore(
    nunca,
    () => true,
    () => false,
  )
}
