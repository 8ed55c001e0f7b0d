import { Download } from 'lucide-react'
import { useDeferredValue, useMemo, useState, type ReactNode } from 'react'
import type { Slot } from '../../art/slot-image'
import { es } from '../../i18n/es-admin'
import { today } from '../../lib/dates'
import { download, toCsv } from '../csv'
import type { Live } from '../data/live'
import { statuses, type Status } from '../data/rows'
import { matches } from '../search'
import { Empty, Failed, Problem, Skeleton } from '../ui/state'
import { useNotify } from '../ui/toasts'
import { useFilters } from '../use-filters'
import type { Column } from './column'
import { DataTable, type Selecting } from './data-table'
import { Toolbar } from './toolbar'

type Props<T> = {
  label: string
  live: Live<T>
  columns: readonly Column<T>[]
  /** The searched columns; all if absent. */
  searched?: (row: T) => readonly string[]
  searchLabel?: string
  empty: { text: string; slot: Slot }
  /** The name of the exported file, without its date. */
  file: string
  statusOf?: (row: T) => Status
  onOpen?: (row: T) => void
  renderSelected?: Selecting<T>
  canSelect?: (row: T) => boolean
  note?: ReactNode
  /** Selects the exported rows. If it fails, nothing is exported and `exportFailure` is reported. */
  toExport?: (rows: readonly T[]) => Promise<readonly T[]>
  exportFailure?: string
  /** A control before the button that exports. */
  exportControl?: ReactNode
  /** A column that exists only in the exported file and requires a request. If the request fails, the file does not have it. */
  exported?: { header: string; of: (rows: readonly T[]) => Promise<readonly string[]> }
}

/** A live list in all its states: loading, failed, old, empty, without matches, and full. */
export function List<T extends { id: string }>(props: Props<T>) {
  const { label, live, columns, searched, empty, file, statusOf, renderSelected, note } = props
  const { search, state, set, clear } = useFilters()
  const [isSelecting, setSelecting] = useState(false)
  const notify = useNotify()
  const wanted = useDeferredValue(search)
  const rows = useMemo(() => {
    if (live.status !== 'ready') return []
    const texts = searched ?? ((row: T) => columns.map((column) => column.text(row)))
    const status = statuses.find((one) => one === state)
    return live.rows.filter((row) => (!statusOf || !status || statusOf(row) === status) && matches(wanted, texts(row)))
  }, [live, columns, searched, wanted, state, statusOf])

  if (live.status === 'loading') return <Skeleton rows={8} label={es.table.loading} />
  if (live.status === 'error') return <Failed />
  const { total } = live
  const filtered = search !== '' || (statusOf !== undefined && state !== '')
  if (total === 0 && live.offline) return <Problem>{es.table.noData}</Problem>
  const exportRows = async () => {
    // Requests the rows that are not watched. On opening, a list has neither search nor filter.
    const all = live.rows.length < total ? await live.whole() : rows
    const every = props.toExport ? await props.toExport(all).catch(() => undefined) : all
    if (!every) {
      notify({ text: props.exportFailure ?? '', kind: 'error' })
      return
    }
    const more = await props.exported?.of(every).catch(() => undefined)
    const headers = columns.map((column) => column.header)
    const lines = every.map((row, i) => [...columns.map((column) => (column.csv ?? column.text)(row)), ...(more ? [more[i] ?? ''] : [])])
    download(`${file}-${today()}.csv`, toCsv(more && props.exported ? [...headers, props.exported.header] : headers, lines))
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {note}
      {live.offline ? <Problem>{es.table.offline}</Problem> : null}
      <Toolbar
        search={search}
        onSearch={(text) => set('q', text)}
        searchLabel={props.searchLabel ?? es.table.search}
        status={statusOf ? { value: state, onChange: (value) => set('estado', value) } : undefined}
        count={es.table.results(filtered ? rows.length : total, total)}
      >
        {renderSelected && total > 0 ? (
          <button type="button" className="boton" aria-pressed={isSelecting} onClick={() => setSelecting(!isSelecting)}>
            {isSelecting ? es.table.finish : es.table.select}
          </button>
        ) : null}
        {props.exportControl}
        <button type="button" className="boton" disabled={rows.length === 0 || live.partial} onClick={() => void exportRows()}>
          <Download aria-hidden size={15} />
          {es.table.csv}
        </button>
      </Toolbar>
      {total === 0 ? (
        <Empty slot={empty.slot}>{empty.text}</Empty>
      ) : rows.length === 0 ? (
        live.partial ? (
          <Skeleton rows={8} label={es.table.loading} />
        ) : (
          <NoMatch onClear={clear} />
        )
      ) : (
        <DataTable
          label={label}
          columns={columns}
          rows={rows}
          total={filtered ? rows.length : total}
          onOpen={props.onOpen}
          renderSelected={isSelecting ? renderSelected : undefined}
          canSelect={props.canSelect}
        />
      )}
    </div>
  )
}

function NoMatch({ onClear }: { onClear: () => void }) {
  const clear = (
    <button type="button" className="boton" onClick={onClear}>
      {es.table.clean}
    </button>
  )
  return (
    <Empty slot="vacio-busqueda" action={clear}>
      {es.table.noMatches}
    </Empty>
  )
}
