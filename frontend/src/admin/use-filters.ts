import { useSearchParams } from 'react-router-dom'

/** The filters of the tab that is shown, kept in the URL, so that they survive a reload and can be sent to somebody. */
export function useFilters() {
  const [params, setParams] = useSearchParams()
  const set = (name: string, value: string) => {
    setParams(
      (old) => {
        const next = new URLSearchParams(old)
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  }
  return { search: params.get('q') ?? '', state: params.get('estado') ?? '', set }
}
