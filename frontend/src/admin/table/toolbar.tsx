import type { ReactNode } from 'react'
import { es } from '../../i18n/es-admin'
import { StatusSelect } from '../ui/status-select'
import { SearchBox } from './search-box'

type Props = {
  search: string
  onSearch: (text: string) => void
  searchLabel: string
  status?: { value: string; onChange: (value: string) => void } | undefined
  count: string
  children: ReactNode
}

/** The controls above a table: search, filter, count, and actions for the rows. */
export function Toolbar({ search, onSearch, searchLabel, status, count, children }: Props) {
  return (
    <div className="panel-barra">
      <SearchBox label={searchLabel} value={search} onChange={onSearch} />
      {status ? (
        <StatusSelect
          className="w-auto"
          aria-label={es.table.state}
          value={status.value}
          none={es.table.all}
          onPick={(value) => status.onChange(value ?? '')}
        />
      ) : null}
      <p role="status" className="panel-cuenta">
        {count}
      </p>
      <div className="panel-barra-acciones ml-auto flex gap-2">{children}</div>
    </div>
  )
}
