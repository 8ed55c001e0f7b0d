import { es } from '../../i18n/es-admin'
import { Checkbox } from './checkbox'
import type { Column } from './column'

type Props<T> = {
  row: T
  columns: readonly Column<T>[]
  onOpen?: ((row: T) => void) | undefined
  selection?: { checked: boolean; disabled: boolean; toggle: (event: unknown) => void } | undefined
}

/** One row. A click anywhere opens its details, as does the button in its first cell. */
export function BodyRow<T extends { id: string }>({ row, columns, onOpen, selection }: Props<T>) {
  const name = columns[0]?.text(row) ?? ''
  return (
    <tr
      className={onOpen ? 'panel-fila-abre' : undefined}
      aria-selected={selection ? selection.checked : undefined}
      onClick={(event) => {
        const inControl = event.target instanceof Element && event.target.closest('button, a, input, label')
        if (onOpen && !inControl) onOpen(row)
      }}
    >
      {selection ? (
        <td className="panel-celda-marca">
          <Checkbox
            label={es.table.selectRow(name)}
            checked={selection.checked}
            disabled={selection.disabled}
            onToggle={selection.toggle}
          />
        </td>
      ) : null}
      {columns.map((column, i) => {
        const content = column.cell ? column.cell(row) : <Text long={column.long ?? false}>{column.text(row)}</Text>
        return (
          <td key={column.id} data-label={column.header} data-narrow={column.narrow}>
            {i === 0 && onOpen ? (
              <button type="button" className="panel-abrir" onClick={() => onOpen(row)}>
                {content}
              </button>
            ) : (
              content
            )}
          </td>
        )
      })}
    </tr>
  )
}

function Text({ long, children }: { long: boolean; children: string }) {
  return <span className={long ? 'panel-largo' : undefined}>{children}</span>
}
