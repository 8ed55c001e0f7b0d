import { useSyncExternalStore } from 'react'

const never = () => () => undefined

/** Whether the page is hydrated: false in prerendered HTML and in the first client render, true from then on. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
}
