import type { SortingState } from '@tanstack/react-table'
import { useId } from 'react'
import { es } from '../../i18n/es-admin'
import type { Column } from './column'

type Props<T> = { columns: readonly Column<T>[]; sorting: SortingState; onSort: (sorting: SortingState) => void }

/** Sorting on narrow screens, where cards have no header. */
export function SortMenu<T>({ columns, sorting, onSort }: Props<T>) {
  const menu = useId()
  const [first] = sorting
  const { table } = es
  return (
    <div className="panel-solo-tarjetas mb-3">
      <label htmlFor={menu} className="ayuda">
        {table.sort}
      </label>
      <select
        id={menu}
        className="casilla"
        value={first ? `${first.desc ? '-' : '+'}${first.id}` : ''}
        onChange={({ target: { value } }) => onSort([{ id: value.slice(1), desc: value.startsWith('-') }])}
      >
        {columns.flatMap(({ id, header, sort }) => [
          <option key={`-${id}`} value={`-${id}`}>
            {sort ? table.newestFirst(header) : table.descending(header)}
          </option>,
          <option key={`+${id}`} value={`+${id}`}>
            {sort ? table.oldestFirst(header) : table.ascending(header)}
          </option>,
        ])}
      </select>
    </div>
  )
}
