import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react'
import type { Doc } from '../../api/firestore'
import { useText } from '../../i18n/text'
import { type Order, wirePath } from '../../lib/query'
import { fieldOf } from '../../lib/value'
import { valueText } from '../../lib/value-text'

const AHEAD = 30

type Props = {
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
}

/** A table that renders only visible rows. Arrow keys move, Enter opens a row, the space bar selects it. */
export function Grid(props: Props) {
  const { docs, fields, row: height, current, selected, setSelected, open, more, loadMore, see } = props
  const { t } = useText()
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(0)
  /** The row to focus once it is rendered. */
  const focusNext = useRef<number | null>(null)
  const virtual = useVirtualizer({
    count: docs.length,
    getScrollElement: () => scroller.current,
    // The first rendering has enough rows for the whole window, before the table is measured.
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    estimateSize: () => height,
    overscan: 8,
    paddingStart: height,
    scrollPaddingStart: height,
    rangeExtractor: (range) => withRow(range, active),
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
    if (focusNext.current !== active) return
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)
    // A later rendering contains a row that was just loaded.
    if (!row) return
    focusNext.current = null
    row.focus({ preventScroll: true })
  })
  const select = (path: string) => {
    const next = new Set(selected)
    if (!next.delete(path)) next.add(path)
    setSelected(next)
  }
  const move = (to: number) => {
    const next = Math.max(0, Math.min(docs.length - 1, to))
    focusNext.current = next
    setActive(next)
    virtual.scrollToIndex(next)
  }
  const onKey = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || event.target.getAttribute('role') !== 'row') return
    const page = Math.max(1, last - first - 1)
    const steps: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: docs.length - 1,
    }
    const step = steps[event.key]
    const doc = docs[active]
    if (step !== undefined) move(step)
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
      >
        <Head {...props} />
        {items.map((item) => {
          const doc = docs[item.index]
          return (
            doc && (
              <Row
                key={doc.path}
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

/** The visible rows and the active one, which must remain rendered because it has the focus. */
export function withRow(range: Range, row: number): number[] {
  const seen = defaultRangeExtractor(range)
  if (row < 0 || row >= range.count || seen.includes(row)) return seen
  return row < (seen[0] ?? 0) ? [row, ...seen] : [...seen, row]
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

type RowProps = {
  doc: Doc
  index: number
  top: number
  fields: string[]
  group: boolean
  active: boolean
  current: boolean
  selected: boolean
  changed: boolean
  select: (path: string) => void
  open: (path: string) => void
}

const Row = memo(function Row({ doc, index, top, fields, group, active, current, selected, changed, select, open }: RowProps) {
  const { t } = useText()
  return (
    <div
      className={`grid-row ${changed ? 'changed' : ''}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={current || selected}
      data-index={index}
      tabIndex={active ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
      onClick={(event) => {
        // A press beside the checkbox also selects the row.
        if (!(event.target instanceof Element && event.target.closest('.grid-check'))) open(doc.path)
      }}
      onKeyDown={undefined}
    >
      <span role="gridcell">
        <label className="grid-check">
          <input type="checkbox" tabIndex={-1} checked={selected} aria-label={t.data.select(doc.id)} onChange={() => select(doc.path)} />
        </label>
      </span>
      <span role="gridcell" className={`mono ${doc.missing ? 'missing' : ''}`} title={doc.missing ? t.data.missing : undefined}>
        {group ? doc.path : doc.id}
      </span>
      {fields.map((name) => {
        const value = fieldOf(doc.fields, name)
        return (
          <span role="gridcell" key={name} className={value ? `v-${value.type}` : 'soft'}>
            {value ? valueText(value).slice(0, 200) : ''}
          </span>
        )
      })}
    </div>
  )
})
