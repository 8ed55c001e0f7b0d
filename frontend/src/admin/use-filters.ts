import { useSearchParams } from 'react-router-dom'
import { pageOf, sizeOf } from './data/extent'

/** The settings of a list in the URL: the search, the status, the order (`-createdAt`), the page, counted from one, and its size. */
type Name = 'q' | 'estado' | 'orden' | 'pagina' | 'filas'

/** The filters, order and page of the current tab. They are in the URL, so that a reload keeps them and they can be shared. */
export function useFilters() {
  const [params, setParams] = useSearchParams()
  // Both in one update: the second of two updates in one task would begin with the state before the first.
  const change = (values: Readonly<Partial<Record<Name, string>>>) => {
    const next = new URLSearchParams(params)
    // Another selection of rows begins on its first page.
    if (!('pagina' in values)) next.delete('pagina')
    for (const [name, value] of Object.entries(values)) {
      if (value) next.set(name, value)
      else next.delete(name)
    }
    setParams(next, { replace: true, preventScrollReset: true })
  }
  return {
    search: params.get('q') ?? '',
    state: params.get('estado') ?? '',
    order: params.get('orden') ?? '',
    page: pageOf(params),
    size: sizeOf(params),
    set: (name: Name, value: string) => change({ [name]: value }),
    clear: () => change({ q: '', estado: '' }),
  }
}
