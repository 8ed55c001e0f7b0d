import { useCallback, useState } from 'react'

/** Runs an action of the user. busy is set while it runs, and error contains its failure. */
export function useAction(): { busy: boolean; error: unknown; run: (work: () => Promise<void>) => Promise<void>; clear: () => void } {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const run = useCallback(async (work: () => Promise<void>) => {
    setBusy(true)
    setError(null)
    try {
      await work()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }, [])
  const clear = useCallback(() => setError(null), [])
  return { busy, error, run, clear }
}
