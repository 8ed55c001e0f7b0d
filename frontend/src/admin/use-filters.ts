import { useSearchParams } from 'react-router-dom'

/** The filters of the tab that is shown, kept in the URL, so that they survive a reload and can be sent to somebody. */
export function useFilters() {
  const [params, setParams] = useSearchParams()
  // All at once: of two changes in one turn the second would begin with what was there before the first.
  const change = (values: Readonly<Record<string, string>>) => {
    const next = new URLSearchParams(params)
    for (const [name, value] of Object.entries(values)) {
      if (value) next.set(name, value)
      else next.delete(name)
    }
    setParams(next, { replace: true, preventScrollReset: true })
  }
  return {
    search: params.get('q') ?? '',
    state: params.get('estado') ?? '',
    set: (name: 'q' | 'estado', value: string) => change({ [name]: value }),
    clear: () => change({ q: '', estado: '' }),
  }
}
