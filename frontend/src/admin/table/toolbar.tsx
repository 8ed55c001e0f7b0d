import { Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { es } from '../../i18n/es-admin'
import { statuses } from '../data/rows'

type Props = {
  search: string
  onSearch: (text: string) => void
  searchLabel: string
  status?: { value: string; onChange: (value: string) => void } | undefined
  count: string
  children: ReactNode
}

/** Above a table: search, filter, count, and what can be done with the rows. */
export function Toolbar({ search, onSearch, searchLabel, status, count, children }: Props) {
  return (
    <div className="p-barra">
      <div className="relative w-full sm:w-72">
        <Search aria-hidden size={15} className="p-lupa" />
        <input
          type="search"
          className="p-entrada pl-8"
          aria-label={searchLabel}
          placeholder={searchLabel}
          value={search}
          onChange={({ target }) => onSearch(target.value)}
        />
      </div>
      {status ? (
        <select
          className="p-entrada w-auto"
          aria-label={es.tabla.estado}
          value={status.value}
          onChange={({ target }) => status.onChange(target.value)}
        >
          <option value="">{es.tabla.todos}</option>
          {statuses.map((one) => (
            <option key={one} value={one}>
              {es.estados[one]}
            </option>
          ))}
        </select>
      ) : null}
      <p role="status" className="p-cuenta">
        {count}
      </p>
      <div className="ml-auto flex gap-2">{children}</div>
    </div>
  )
}
