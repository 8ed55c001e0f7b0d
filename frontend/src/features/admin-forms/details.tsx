import type { ReactNode } from 'react'
import type { Status } from '../../admin/data/rows'
import type { Column } from '../../admin/table/column'
import { Dialog } from '../../components/dialog'
import { es } from '../../i18n/es-admin'
import { StatusField } from './status-field'

/** The common fields of forms with a status. */
export type FormRow = { id: string; email: string; status: Status; statusBy: string; statusAt: Date | null; fixed?: boolean }

type Props<T extends FormRow> = {
  row: T | undefined
  collection: string
  title: (row: T) => string
  columns: readonly Column<T>[]
  onClose: () => void
}

/** All fields of one form, at the side of its table. */
export function Details<T extends FormRow>({ row, collection, title, columns, onClose }: Props<T>) {
  return (
    <Dialog open={row !== undefined} onClose={onClose} kind="drawer" title={row ? title(row) : ''}>
      {row ? (
        <dl className="panel-ficha">
          {columns
            .filter(({ id }) => id !== 'status')
            .map((column) => (
              <Line key={column.id} name={column.header}>
                {column.id === 'email' && row.email ? <MailLink address={row.email} /> : column.text(row)}
              </Line>
            ))}
          <Line name={es.columns.state}>
            <StatusField
              path={`${collection}/${row.id}`}
              status={row.status}
              statusBy={row.statusBy}
              statusAt={row.statusAt}
              fixed={row.fixed ?? false}
            />
          </Line>
        </dl>
      ) : null}
    </Dialog>
  )
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** An e-mail link. The address is data: its characters cannot leave the path of the mailto URL. */
function MailLink({ address }: { address: string }) {
  return (
    <a className="panel-enlace" href={`mailto:${encodeURIComponent(address)}`}>
      {address}
    </a>
  )
}
