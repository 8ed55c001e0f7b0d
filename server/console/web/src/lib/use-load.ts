import { useCallback, useEffect, useRef, useState } from 'react'

export type Load<T> = { status: 'loading' } | { status: 'error'; error: unknown } | { status: 'ready'; data: T }

/**
 * Loads data when the key or the variant changes, or when reload is called. A new load aborts the previous one. Data of the same key remain until
 * it ends. Data that are there at first are not loaded.
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
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key stands for all that load depends on
  }, [key, variant, turn])
  const reload = useCallback(() => setTurn((n) => n + 1), [])
  return { state: state.key === key ? state.load : { status: 'loading' }, reload }
}
