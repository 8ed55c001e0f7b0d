import type { Contact, Rental, Status, Volunteer } from '../../admin/data/rows'
import { Email, Moment } from '../../admin/table/cells'
import type { Column } from '../../admin/table/column'
import { es } from '../../i18n/es-admin'
import { DASH, dateAndTime, sortable } from '../../lib/dates'
import type { Confirmable } from '../admin-newsletter/confirmations'
import { StatusChip } from './status-chip'

type Dated = { createdAt: Date | null }

const { columns } = es

/** A column of a text field. */
function text<T>(id: string, header: string, of: (row: T) => string, more: Pick<Column<T>, 'long' | 'narrow'> = {}): Column<T> {
  return { id, header, text: (row) => of(row) || DASH, ...more }
}

function email<T extends { email: string }>(narrow?: Column<T>['narrow']): Column<T> {
  return {
    id: 'email',
    header: columns.email,
    narrow,
    text: (row) => row.email || DASH,
    cell: (row) => <Email address={row.email} />,
  }
}

function date<T extends Dated>(): Column<T> {
  return {
    id: 'createdAt',
    header: columns.date,
    narrow: 'end',
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
    narrow: 'end',
    text: (row) => es.statuses[row.status],
    cell: (row) => <StatusChip status={row.status} />,
  }
}

// On a narrow screen a row has two lines; the details hold the rest.

/** F-328. These rows have no details. */
export const subscriptionColumns: readonly Column<Confirmable>[] = [
  email(),
  text('source', columns.source, (row) => row.source, { narrow: 'start' }),
  date(),
  {
    id: 'confirmedAt',
    header: columns.confirmed,
    text: (row) => confirmation(row.confirmedAt),
    csv: (row) => (row.confirmedAt ? sortable(row.confirmedAt) : confirmation(row.confirmedAt)),
    sort: (row) => row.confirmedAt?.getTime() ?? 0,
    cell: (row) =>
      row.confirmedAt ? <Moment at={row.confirmedAt} /> : <span className="text-suave">{confirmation(row.confirmedAt)}</span>,
  },
]

/** When an address was confirmed, if it was and if it is known. */
function confirmation(at: Date | null | undefined): string {
  if (at === undefined) return DASH
  return at ? dateAndTime(at) : es.no
}

/** F-329. */
export const volunteerColumns: readonly Column<Volunteer>[] = [
  text('fullName', columns.name, (row) => row.fullName, { narrow: 'start' }),
  email('details'),
  {
    id: 'phone',
    header: columns.phone,
    narrow: 'details',
    text: (row) => row.phone || DASH,
    cell: (row) => <span className="panel-fijo">{row.phone || DASH}</span>,
  },
  text('motivation', columns.motivation, (row) => row.motivation, { long: true, narrow: 'start' }),
  status(),
  date(),
]

/** F-330. */
export const contactColumns: readonly Column<Contact>[] = [
  text('name', columns.name, (row) => row.name, { narrow: 'start' }),
  email('details'),
  text('subject', columns.subject, (row) => row.subject, { long: true, narrow: 'start' }),
  text('message', columns.message, (row) => row.message, { long: true, narrow: 'details' }),
  status(),
  date(),
]

/** F-331. The status is only in the details, because the table's columns are fixed. */
export const rentalColumns: readonly Column<Rental>[] = [
  text('fullName', columns.name, (row) => row.fullName, { narrow: 'start' }),
  email('details'),
  text('message', columns.message, (row) => row.message, { long: true }),
  text('source', columns.source, (row) => row.source, { narrow: 'details' }),
  date(),
]
