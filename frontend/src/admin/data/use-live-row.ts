import { useEffect, useState } from 'react'
import type { Row } from '../../firebase/panel'

/** Watches one document: null when it is not there, undefined until that is known. */
export function useLiveRow(path: string): Row | null | undefined {
  const [received, setReceived] = useState<{ path: string; row: Row | null }>()
  useEffect(() => {
    let stop: (() => void) | undefined
    let stopped = false
    const start = async () => {
      const { watchRow } = await import('../../firebase/panel')
      if (stopped) return
      // That there is none is believed of the server alone. A failure leaves what was known.
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
