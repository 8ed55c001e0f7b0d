import type { Header } from '@tanstack/react-table'
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react'
import { es } from '../../i18n/es-admin'
import { Checkbox } from './checkbox'
import type { features } from './column'

type Props<T extends object> = {
  headers: readonly Header<typeof features, T>[]
  selectAll?: { checked: boolean; some: boolean; toggle: (event: unknown) => void } | undefined
}

/** The header of a table. A press on a column sorts ascending, then descending, then not. */
export function HeaderRow<T extends object>({ headers, selectAll }: Props<T>) {
  return (
    <thead>
      <tr>
        {selectAll ? (
          <td className="w-10">
            <Checkbox label={es.table.selectPage} checked={selectAll.checked} mixed={selectAll.some} onToggle={selectAll.toggle} />
          </td>
        ) : null}
        {headers.map((header) => {
          const sorted = header.column.getIsSorted()
          return (
            <th key={header.id} scope="col" aria-sort={ariaSort(sorted)}>
              <button type="button" className="panel-ordenar" onClick={header.column.getToggleSortingHandler()}>
                {String(header.column.columnDef.header)}
                <SortIcon sorted={sorted} />
              </button>
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

function ariaSort(sorted: false | 'asc' | 'desc') {
  if (sorted === 'asc') return 'ascending'
  return sorted === 'desc' ? 'descending' : 'none'
}

function SortIcon({ sorted }: { sorted: false | 'asc' | 'desc' }) {
  const Icon = sorted === 'asc' ? ArrowUp : sorted === 'desc' ? ArrowDown : ArrowUpDown
  return <Icon aria-hidden size={13} className={sorted ? '' : 'panel-orden-callado'} />
}
