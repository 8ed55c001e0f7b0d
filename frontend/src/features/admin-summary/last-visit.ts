import { useEffect, useState } from 'react'

/**
 * The time of a user's previous visit on this device, as of the opening of the panel; null on the first visit. Leaving
 * the panel updates it.
 */
export function useLastVisit(uid: string): Date | null {
  const key = `panel-visita-${uid}`
  const [last] = useState(() => read(key))
  useEffect(() => {
    const leave = () => write(key)
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [key])
  return last
}

function read(key: string): Date | null {
  try {
    const moment = new Date(localStorage.getItem(key) ?? '')
    return Number.isNaN(moment.getTime()) ? null : moment
  } catch {
    // Storage may be forbidden. Then every visit is the first.
    return null
  }
}

function write(key: string): void {
  try {
    localStorage.setItem(key, new Date().toISOString())
  } catch {
    // Storage may be forbidden or full.
  }
}
