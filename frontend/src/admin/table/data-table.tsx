import { useTable, type RowSelectionState, type SortingState } from '@tanstack/react-table'
import { useMemo, useState, type ReactNode } from 'react'
import { es } from '../../i18n/es-admin'
import { definitions, features, LATEST_FIRST, type Column } from './column'
import { useFilters } from '../use-filters'
import { SIZES } from '../data/extent'
import { Pager } from './pager'
import { BodyRow } from './body-row'
import { HeaderRow } from './header-row'
import { SortMenu } from './sort-menu'

/** Shown above the rows while some are selected. */
export type Selecting<T> = (selected: readonly T[], clear: () => void) => ReactNode

type Props<T> = {
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  /** The number of all rows, of which these are the first. */
  total: number
  onOpen?: ((row: T) => void) | undefined
  /** Shown above the rows while some are selected. Rows can be selected only if it is given. */
  renderSelected?: Selecting<T> | undefined
  canSelect?: ((row: T) => boolean) | undefined
}

/** The order in an address, such as `-createdAt`, if its column exists; otherwise the latest first. */
function sortingOf(order: string, columns: readonly { id: string }[]): SortingState {
  const id = order.replace(/^-/, '')
  const chosen = columns.some((column) => column.id === id) ? { id, desc: order.startsWith('-') } : LATEST_FIRST
  return columns.some((column) => column.id === chosen.id) ? [chosen] : []
}

const byId = (row: { id: string }) => row.id

/** A table with sorting, pages and, optionally, selection of rows. On narrow screens its rows become cards. */
export function DataTable<T extends { id: string }>({ label, columns, rows, total, onOpen, renderSelected, canSelect }: Props<T>) {
  const { order, page, size, set } = useFilters()
  const sorting = useMemo(() => sortingOf(order, columns), [order, columns])
  const setSorting = ([first]: SortingState) => set('orden', first ? `${first.desc ? '-' : ''}${first.id}` : '')
  // After rows were removed, the page may be beyond the last one.
  const pages = Math.max(1, Math.ceil(total / size))
  const pagination = { pageIndex: Math.min(page, pages - 1), pageSize: size }
  const turnTo = (index: number) => set('pagina', index > 0 ? String(index + 1) : '')
  const [rowSelection, setRowSelection] = useState<RowSelectionState>({})
  const defs = useMemo(() => definitions(columns), [columns])
  const table = useTable({
    features,
    columns: defs,
    data: rows,
    getRowId: byId,
    state: { sorting, pagination, rowSelection },
    onSortingChange: (change) => setSorting(typeof change === 'function' ? change(sorting) : change),
    onRowSelectionChange: setRowSelection,
    enableRowSelection: (row) => renderSelected !== undefined && (canSelect?.(row.original) ?? true),
    autoResetPageIndex: false,
    enableMultiSort: false,
  })
  const selected = rows.filter((row) => rowSelection[row.id])
  const shown = table.getRowModel().rows
  return (
    <>
      <SortMenu columns={columns} sorting={sorting} onSort={setSorting} />
      {renderSelected ? renderSelected(selected, () => setRowSelection({})) : null}
      <div className="panel-capa panel-marco">
        <table aria-label={label} className="panel-tabla">
          <HeaderRow
            headers={table.getHeaderGroups()[0]?.headers ?? []}
            selectAll={
              renderSelected
                ? {
                    checked: table.getIsAllPageRowsSelected(),
                    some: table.getIsSomePageRowsSelected(),
                    toggle: table.getToggleAllPageRowsSelectedHandler(),
                  }
                : undefined
            }
          />
          <tbody>
            {shown.map((row) => (
              <BodyRow
                key={row.id}
                row={row.original}
                columns={columns}
                onOpen={onOpen}
                selection={
                  renderSelected
                    ? { checked: row.getIsSelected(), disabled: !row.getCanSelect(), toggle: row.getToggleSelectedHandler() }
                    : undefined
                }
              />
            ))}
          </tbody>
        </table>
      </div>
      {total > SIZES[0] ? (
        <Pager
          page={pagination.pageIndex}
          pages={pages}
          size={pagination.pageSize}
          label={es.table.page(pagination.pageIndex + 1, pages)}
          onPage={turnTo}
          onSize={(next) => set('filas', next === SIZES[0] ? '' : String(next))}
        />
      ) : null}
    </>
  )
}
