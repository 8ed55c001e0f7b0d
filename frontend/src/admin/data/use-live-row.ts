import { useEffect, useState } from 'react'
import type { Row } from '../../firebase/panel'

/** Watches one document: null if it does not exist, undefined until that is known. */
export function useLiveRow(path: string): Row | null | undefined {
  const [received, setReceived] = useState<{ path: string; row: Row | null }>()
  useEffect(() => {
    let stop: (() => void) | undefined
    let stopped = false
    const start = async () => {
      const { watchRow } = await import('../../firebase/panel')
      if (stopped) return
      // Only the server's answer proves that it does not exist. After a failure the last row stays.
      stop = watchRow(
        path,
        (row, fromCache) => {
          if (row || !fromCache) setReceived({ path, row })
        },
        () => undefined,
      )
    }
    start().catch(() => undefined)
    return () => {
      stopped = true
      stop?.()
    }
  }, [path])
  return received?.path === path ? received.row : undefined
}
