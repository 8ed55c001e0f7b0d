import type { Contact, Rental, Status, Subscription, Volunteer } from '../../admin/data/rows'
import { Email, Moment } from '../../admin/table/cells'
import type { Column } from '../../admin/table/column'
import { es } from '../../i18n/es-admin'
import { RAYA, fechaYHora, sortable } from '../../lib/fechas'
import { StatusChip } from './status-chip'

type Dated = { createdAt: Date | null }

const { columnas } = es

/** A column of a text field. */
function text<T>(id: string, header: string, of: (row: T) => string, long = false): Column<T> {
  return { id, header, text: (row) => of(row) || RAYA, long }
}

function email<T extends { email: string }>(): Column<T> {
  return {
    id: 'email',
    header: columnas.email,
    text: (row) => row.email || RAYA,
    cell: (row) => <Email address={row.email} />,
  }
}

function date<T extends Dated>(): Column<T> {
  return {
    id: 'createdAt',
    header: columnas.fecha,
    text: (row) => fechaYHora(row.createdAt),
    csv: (row) => sortable(row.createdAt),
    sort: (row) => row.createdAt?.getTime() ?? 0,
    cell: (row) => <Moment at={row.createdAt} />,
  }
}

function status<T extends { status: Status }>(): Column<T> {
  return {
    id: 'status',
    header: columnas.estado,
    text: (row) => es.estados[row.status],
    cell: (row) => <StatusChip status={row.status} />,
  }
}

/** F-328. */
export const subscriptionColumns: readonly Column<Subscription>[] = [email(), text('source', columnas.fuente, (row) => row.source), date()]

/** F-329. */
export const volunteerColumns: readonly Column<Volunteer>[] = [
  text('fullName', columnas.nombre, (row) => row.fullName),
  email(),
  {
    id: 'phone',
    header: columnas.telefono,
    text: (row) => row.phone || RAYA,
    cell: (row) => <span className="p-fijo tabular-nums">{row.phone || RAYA}</span>,
  },
  text('motivation', columnas.motivacion, (row) => row.motivation, true),
  status(),
  date(),
]

/** F-330. */
export const contactColumns: readonly Column<Contact>[] = [
  text('name', columnas.nombre, (row) => row.name),
  email(),
  text('subject', columnas.asunto, (row) => row.subject, true),
  text('message', columnas.mensaje, (row) => row.message, true),
  status(),
  date(),
]

/** F-331. The status of these is told in the details only: the table's columns are fixed. */
export const rentalColumns: readonly Column<Rental>[] = [
  text('fullName', columnas.nombre, (row) => row.fullName),
  email(),
  text('message', columnas.mensaje, (row) => row.message, true),
  text('source', columnas.fuente, (row) => row.source),
  date(),
]
