import { useEffect, useState } from 'react'
import type { Condition } from '../../firebase/panel'

/** Counts rows on the server, again whenever `occasion` changes. Null until it is known. Without a name nothing is counted. */
export function useCount(name: string, only: Condition | undefined, occasion: unknown): number | null {
  const [count, setCount] = useState<{ of: string; n: number } | null>(null)
  const key = `${name} ${JSON.stringify(only ?? null)}`
  useEffect(() => {
    if (!name) return undefined
    let stopped = false
    const start = async () => {
      const { countRows } = await import('../../firebase/panel')
      const n = await countRows(name, only)
      if (!stopped) setCount({ of: key, n })
    }
    // Without a connection the last count stays.
    start().catch(() => undefined)
    return () => {
      stopped = true
    }
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key, occasion])
  return count?.of === key ? count.n : null
}
