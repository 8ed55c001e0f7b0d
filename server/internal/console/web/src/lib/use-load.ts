import { useCallback, useEffect, useRef, useState } from 'react'

export type Load<T> = { status: 'loading' } | { status: 'error'; error: unknown } | { status: 'ready'; data: T }

/**
 * Loads data when the key or the variant changes, or when reload is called. A new load aborts the previous one. Data
 * with the same key are kept until it ends. Initial data are not loaded again.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  variant = '',
  first: T | null = null,
): { state: Load<T>; reload: () => void } {
  const [state, setState] = useState<{ key: string; load: Load<T> }>({
    key,
    load: first === null ? { status: 'loading' } : { status: 'ready', data: first },
  })
  const there = useRef(first !== null)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    if (there.current) {
      there.current = false
      return undefined
    }
    const control = new AbortController()
    const set = (next: Load<T>) => {
      if (!control.signal.aborted) setState({ key, load: next })
    }
    load(control.signal).then(
      (data) => set({ status: 'ready', data }),
      (error: unknown) => set({ status: 'error', error }),
    )
    return () => control.abort()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key represents all dependencies of load
  }, [key, variant, turn])
  const reload = useCallback(() => setTurn((n) => n + 1), [])
  return { state: state.key === key ? state.load : { status: 'loading' }, reload }
}
