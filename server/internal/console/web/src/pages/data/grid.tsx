import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import type { Doc } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { type Order, wirePath } from '../../lib/query'
import type { Scope } from '../../lib/scope'
import { type Cell, loadCell } from './cell-editor'
import { GridRow } from './grid-row'

const AHEAD = 30

type Props = {
  scope: Scope
  /** Whether values may be edited. */
  write: boolean
  docs: Doc[]
  fields: string[]
  /** The widths of the columns of ids and fields in CSS. */
  widths: string
  /** The height of a row. */
  row: number
  group: boolean
  marks: ReadonlySet<string>
  current: string | null
  selected: ReadonlySet<string>
  setSelected: (selected: ReadonlySet<string>) => void
  order: Order | null
  setOrder: (order: Order | null) => void
  open: (path: string) => void
  more: boolean
  loadMore: () => void
  see: (first: number, last: number) => void
  /** Loads a row again whose document was saved. */
  refresh: (path: string) => void
}

/**
 * A table that renders only visible rows. Arrow keys move between rows and their fields. Enter opens a row, or edits a field; the
 * space bar selects the row. A double click edits a field too.
 */
export function Grid(props: Props) {
  const { docs, fields, row: height, current, selected, setSelected, open, more, loadMore, see } = props
  const { t } = useText()
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  /** The row and the field to focus once they are rendered, from 1; 0 is the row itself. */
  const focusNext = useRef<{ row: number; field: number } | null>(null)
  const [cell, setCell] = useState<Cell | null>(null)
  /** The row with the edited field. An editor whose document is gone has kept a draft. */
  const editing = cell ? docs.findIndex((doc) => doc.path === cell.base.path) : -1
  if (cell && editing < 0) setCell(null)
  const virtual = useVirtualizer({
    count: docs.length,
    getScrollElement: () => scroller.current,
    // The first rendering has enough rows for the whole window, before the table is measured.
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    estimateSize: () => height,
    overscan: 8,
    paddingStart: height,
    scrollPaddingStart: height,
    rangeExtractor: (range) => withRow(range, active, editing),
  })
  const items = virtual.getVirtualItems()
  const first = virtual.range?.startIndex ?? 0
  const last = virtual.range?.endIndex ?? 0
  useEffect(() => {
    if (more && last >= docs.length - AHEAD) loadMore()
  }, [more, last, docs.length, loadMore])
  useEffect(() => {
    const timer = setTimeout(() => see(first, last), 200)
    return () => clearTimeout(timer)
  }, [first, last, see])
  useEffect(() => {
    const next = focusNext.current
    if (next?.row !== active) return
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)
    // A later rendering contains a row that was just loaded.
    if (!row) return
    const field = row.querySelector<HTMLElement>(`[data-cell="${next.field}"]`)
    // So does one without the editor that has just ended.
    if (field?.matches('.cell-edit')) return
    focusNext.current = null
    ;(field ?? row).focus({ preventScroll: true })
    field?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  const select = (path: string) => {
    const next = new Set(selected)
    if (!next.delete(path)) next.add(path)
    setSelected(next)
  }
  const [, render] = useState(0)
  const move = (to: number, field: number) => {
    const next = Math.max(0, Math.min(docs.length - 1, to))
    focusNext.current = { row: next, field: Math.min(fields.length, field) }
    setActive(next)
    virtual.scrollToIndex(next)
    render((n) => n + 1)
  }
  const asked = useRef(0)
  /** Edits a field of a row, or opens the document if its value needs more room. */
  const edit = async (row: number, field: number) => {
    const [doc, name] = [docs[row], fields[field - 1]]
    if (!doc || name === undefined) return
    const mine = ++asked.current
    const loaded = props.write ? await loadCell(props.scope, doc.path, name).catch(() => null) : null
    if (mine !== asked.current) return
    if (!loaded) return open(doc.path)
    setActive(row)
    setCell(loaded)
  }
  const latest = useRef({ cell, move, active })
  latest.current = { cell, move, active }
  const { refresh } = props
  const endEdit = useCallback(
    (saved: boolean) => {
      const { cell: was, move: to, active: row } = latest.current
      setCell(null)
      if (!was) return
      if (saved) refresh(was.base.path)
      // The focus returns to the field, unless it has gone elsewhere.
      if (document.activeElement?.closest('.cell-edit')) to(row, fields.indexOf(was.name) + 1)
    },
    [refresh, fields],
  )
  const onKey = (event: KeyboardEvent) => {
    const { target } = event
    if (!(target instanceof HTMLElement) || !target.matches('[role=row], [data-cell]')) return
    const field = Number(target.dataset['cell'] ?? 0)
    // A row that a pointer has focused is not the active one yet.
    const at = Number(target.closest<HTMLElement>('[data-index]')?.dataset['index'] ?? active)
    const page = Math.max(1, last - first - 1)
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: docs.length - 1,
    }
    const step = steps[event.key]
    const doc = docs[at]
    if (step !== undefined) move(step, field)
    else if (event.key === 'ArrowRight') move(at, field + 1)
    else if (event.key === 'ArrowLeft') move(at, Math.max(0, field - 1))
    else if (event.key === 'Escape' && field > 0) move(at, 0)
    else if ((event.key === 'Enter' || event.key === 'F2') && field > 0) void edit(at, field)
    else if (event.key === 'Enter' && doc) open(doc.path)
    else if (event.key === ' ' && doc) select(doc.path)
    else return
    event.preventDefault()
  }
  return (
    <div className="column-body" ref={scroller}>
      <div
        className="grid"
        role="grid"
        aria-label={t.data.document}
        aria-rowcount={more ? -1 : docs.length + 1}
        aria-colcount={fields.length + 2}
        aria-multiselectable="true"
        tabIndex={-1}
        style={{ height: virtual.getTotalSize(), '--row': `${height}px`, '--widths': props.widths } as React.CSSProperties}
        onKeyDown={onKey}
        onDoubleClick={({ target }) => {
          const field = target instanceof Element ? target.closest<HTMLElement>('[data-cell]:not(.cell-edit)') : null
          const row = field?.closest<HTMLElement>('[data-index]')
          if (props.write && field && row) void edit(Number(row.dataset['index']), Number(field.dataset['cell']))
        }}
      >
        <Head {...props} />
        {items.map((item) => {
          const doc = docs[item.index]
          return (
            doc && (
              <GridRow
                key={doc.path}
                scope={props.scope}
                cell={cell?.base.path === doc.path ? cell : null}
                endEdit={endEdit}
                doc={doc}
                index={item.index}
                top={item.start}
                fields={fields}
                group={props.group}
                active={item.index === active || (active >= docs.length && item.index === 0)}
                current={doc.path === current}
                selected={selected.has(doc.path)}
                changed={props.marks.has(doc.path)}
                select={select}
                open={(path) => {
                  setActive(item.index)
                  open(path)
                }}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

/** The visible rows, and others that must remain rendered: the active one, which may have the focus, and the one that is edited. */
export function withRow(range: Range, ...rows: number[]): number[] {
  const seen = defaultRangeExtractor(range)
  const more = [...new Set(rows)].filter((row) => row >= 0 && row < range.count && !seen.includes(row))
  return more.length === 0 ? seen : [...more, ...seen].toSorted((a, b) => a - b)
}

function Head({ docs, fields, order, setOrder, selected, setSelected }: Props) {
  const { t } = useText()
  const all = docs.length > 0 && docs.every((doc) => selected.has(doc.path))
  const columns = ['__name__', ...fields.map(wirePath)]
  const next = (field: string): Order | null => {
    if (order?.field !== field) return { field, direction: field === '__name__' ? 'desc' : 'asc' }
    return field !== '__name__' && order.direction === 'asc' ? { field, direction: 'desc' } : null
  }
  return (
    <div className="grid-head" role="row" aria-rowindex={1}>
      <span role="columnheader">
        <label className="grid-check">
          <input
            type="checkbox"
            checked={all}
            aria-label={t.data.selectAll}
            onChange={() => setSelected(all ? new Set() : new Set(docs.map((doc) => doc.path)))}
          />
        </label>
      </span>
      {columns.map((field, i) => {
        const direction = order?.field === field ? order.direction : null
        return (
          <span
            role="columnheader"
            key={field}
            aria-sort={direction === 'asc' ? 'ascending' : direction === 'desc' ? 'descending' : 'none'}
          >
            <button type="button" className="head-button" onClick={() => setOrder(next(field))}>
              {i === 0 ? t.data.id : fields[i - 1]} {direction === 'asc' ? '↑' : direction === 'desc' ? '↓' : ''}
            </button>
          </span>
        )
      })}
    </div>
  )
}
