import { useEffect } from 'react'

/** Calls reload regularly, every ms milliseconds, while the page is visible and on is true. */
export function useEvery(reload: () => void, ms: number, on = true): void {
  useEffect(() => {
    if (!on) return undefined
    const timer = setInterval(() => {
      if (!document.hidden) reload()
    }, ms)
    return () => clearInterval(timer)
  }, [reload, ms, on])
}
