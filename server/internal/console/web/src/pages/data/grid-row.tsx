import { memo } from 'react'
import type { Doc } from '../../api/firestore'
import { useText } from '../../i18n/text'
import type { Scope } from '../../lib/scope'
import { fieldOf } from '../../lib/value'
import { valueText } from '../../lib/value-text'
import { type Cell, CellEditor } from './cell-editor'

type RowProps = {
  scope: Scope
  doc: Doc
  index: number
  top: number
  fields: string[]
  group: boolean
  active: boolean
  current: boolean
  selected: boolean
  changed: boolean
  /** The cell of this row that is edited. */
  cell: Cell | null
  endEdit: (saved: boolean) => void
  select: (path: string) => void
  open: (path: string) => void
}

/** A row of the table of documents. Its fields are focused by arrow keys only, as in all grids. */
export const GridRow = memo(function GridRow({ scope, doc, index, top, fields, group, active, current, selected, ...props }: RowProps) {
  const { t } = useText()
  const { changed, cell, endEdit, select, open } = props
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
        // A press beside the checkbox also selects the row, and one into an editor stays there.
        if (!(event.target instanceof Element && event.target.closest('.grid-check, .cell-edit'))) open(doc.path)
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
      {fields.map((name, i) => {
        const value = fieldOf(doc.fields, name)
        if (cell?.name === name) {
          return (
            <span role="gridcell" key={name} className="cell-edit" data-cell={i + 1}>
              <CellEditor scope={scope} cell={cell} end={endEdit} open={open} />
            </span>
          )
        }
        return (
          <span role="gridcell" key={name} data-cell={i + 1} tabIndex={-1} className={value ? `v-${value.type}` : 'soft'}>
            {value ? valueText(value).slice(0, 200) : ''}
          </span>
        )
      })}
    </div>
  )
})
