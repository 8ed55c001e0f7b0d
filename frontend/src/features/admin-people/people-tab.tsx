import { usePanelData } from '../../admin/data/panel-data'
import type { Administrator } from '../../admin/data/rows'
import { Email, Moment } from '../../admin/table/cells'
import type { Column } from '../../admin/table/column'
import { List } from '../../admin/table/list'
import { es } from '../../i18n/es-admin'
import { DASH, dateAndTime, sortable } from '../../lib/dates'

const fullName = ({ firstName, lastName, displayName }: Administrator) => `${firstName} ${lastName}`.trim() || displayName

const columns: readonly Column<Administrator>[] = [
  {
    id: 'name',
    header: es.columns.name,
    text: (row) => fullName(row) || DASH,
    cell: (row) => <span className="panel-correo">{fullName(row) || DASH}</span>,
  },
  {
    id: 'email',
    header: es.columns.address,
    text: (row) => row.email || DASH,
    cell: (row) => <Email address={row.email} />,
  },
  { id: 'role', header: es.columns.role, narrow: 'start', text: (row) => row.role || DASH },
  { id: 'active', header: es.columns.active, narrow: 'end', text: (row) => (row.active ? es.yes : es.no) },
  {
    id: 'createdAt',
    header: es.columns.created,
    text: (row) => dateAndTime(row.createdAt),
    csv: (row) => sortable(row.createdAt),
    sort: (row) => row.createdAt?.getTime() ?? 0,
    cell: (row) => <Moment at={row.createdAt} />,
  },
]

const searched = (row: Administrator) => [fullName(row), row.email]

/** The administrators (F-323, F-324). */
export function PeopleTab() {
  const { people } = usePanelData()
  return (
    <List
      label={es.tabs.administradores}
      live={people}
      columns={columns}
      searched={searched}
      searchLabel={es.table.searchPerson}
      empty={{ text: es.table.noMatches, slot: 'vacio-busqueda' }}
      file="administradores"
      note={<p className="panel-nota">{es.people.note}</p>}
    />
  )
}
