import {
  createPaginatedRowModel,
  createSortedRowModel,
  rowPaginationFeature,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
  type ColumnDef,
} from '@tanstack/react-table'
import type { ReactNode } from 'react'

/** The features of the panel's tables: sorting, pages and selection. Searching happens before. */
export const features = tableFeatures({
  rowSortingFeature,
  rowPaginationFeature,
  rowSelectionFeature,
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
})

/** One column. Its text is searched, exported and shown, unless `cell` shows it differently. */
export type Column<T> = {
  id: string
  header: string
  text: (row: T) => string
  cell?: (row: T) => ReactNode
  /** The value to sort by; the text if absent. */
  sort?: (row: T) => number
  /** The value in an exported file; the text if absent. */
  csv?: (row: T) => string
  /** Shows at most two lines, one on a narrow screen. */
  long?: boolean
  /** Its place in the row of a narrow screen: at a line's start or end, or in the details only. Without one it has a line of its own. */
  narrow?: 'start' | 'end' | 'details'
}

/** The default order of a list: the latest first, as the queries return it. */
export const LATEST_FIRST = { id: 'createdAt', desc: true }

const collator = new Intl.Collator('es', { sensitivity: 'base', numeric: true })

/** The columns in the form of the table library. */
export function definitions<T extends object>(columns: readonly Column<T>[]): ColumnDef<typeof features, T>[] {
  return columns.map((column) => ({
    id: column.id,
    header: column.header,
    accessorFn: (row: T) => column.text(row),
    sortFn: (a, b) => compare(column, a.original, b.original),
    sortDescFirst: column.sort !== undefined,
  }))
}

function compare<T>({ sort, text }: Column<T>, a: T, b: T): number {
  return sort ? sort(a) - sort(b) : collator.compare(text(a), text(b))
}
