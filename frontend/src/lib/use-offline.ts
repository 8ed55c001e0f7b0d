import { useSyncExternalStore } from 'react'

/** The lists that show what the server has not confirmed for some time. */
const unconfirmed = new Set<object>()
const listeners = new Set<() => void>()

/** Tells whether a list shows what the server has not confirmed, for example because it does not respond (N-04). */
export function setUnconfirmed(list: object, isOld: boolean): void {
  if (isOld) unconfirmed.add(list)
  else unconfirmed.delete(list)
  for (const notify of listeners) notify()
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify)
  addEventListener('online', notify)
  addEventListener('offline', notify)
  return () => {
    listeners.delete(notify)
    removeEventListener('online', notify)
    removeEventListener('offline', notify)
  }
}

/** Whether the browser has no connection, or the server does not respond. */
export function useOffline(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => !navigator.onLine || unconfirmed.size > 0,
    () => false,
  )
}
