import type { Contact, Rental, Status, Subscription, Volunteer } from '../../admin/data/rows'
import { Email, Moment } from '../../admin/table/cells'
import type { Column } from '../../admin/table/column'
import { es } from '../../i18n/es-admin'
import { DASH, dateAndTime, sortable } from '../../lib/dates'
import { StatusChip } from './status-chip'

type Dated = { createdAt: Date | null }

const { columns } = es

/** A column of a text field. */
function text<T>(id: string, header: string, of: (row: T) => string, long = false): Column<T> {
  return { id, header, text: (row) => of(row) || DASH, long }
}

function email<T extends { email: string }>(): Column<T> {
  return {
    id: 'email',
    header: columns.email,
    text: (row) => row.email || DASH,
    cell: (row) => <Email address={row.email} />,
  }
}

function date<T extends Dated>(): Column<T> {
  return {
    id: 'createdAt',
    header: columns.date,
    text: (row) => dateAndTime(row.createdAt),
    csv: (row) => sortable(row.createdAt),
    sort: (row) => row.createdAt?.getTime() ?? 0,
    cell: (row) => <Moment at={row.createdAt} />,
  }
}

function status<T extends { status: Status }>(): Column<T> {
  return {
    id: 'status',
    header: columns.state,
    text: (row) => es.statuses[row.status],
    cell: (row) => <StatusChip status={row.status} />,
  }
}

/** F-328. */
export const subscriptionColumns: readonly Column<Subscription>[] = [email(), text('source', columns.source, (row) => row.source), date()]

/** F-329. */
export const volunteerColumns: readonly Column<Volunteer>[] = [
  text('fullName', columns.name, (row) => row.fullName),
  email(),
  {
    id: 'phone',
    header: columns.phone,
    text: (row) => row.phone || DASH,
    cell: (row) => <span className="p-fijo tabular-nums">{row.phone || DASH}</span>,
  },
  text('motivation', columns.motivation, (row) => row.motivation, true),
  status(),
  date(),
]

/** F-330. */
export const contactColumns: readonly Column<Contact>[] = [
  text('name', columns.name, (row) => row.name),
  email(),
  text('subject', columns.subject, (row) => row.subject, true),
  text('message', columns.message, (row) => row.message, true),
  status(),
  date(),
]

/** F-331. The status is only in the details, because the table's columns are fixed. */
export const rentalColumns: readonly Column<Rental>[] = [
  text('fullName', columns.name, (row) => row.fullName),
  email(),
  text('message', columns.message, (row) => row.message, true),
  text('source', columns.source, (row) => row.source),
  date(),
]
