import { usePanelData } from '../../admin/data/panel-data'
import type { Administrator } from '../../admin/data/rows'
import { Email, Moment } from '../../admin/table/cells'
import type { Column } from '../../admin/table/column'
import { List } from '../../admin/table/list'
import { es } from '../../i18n/es-admin'
import { RAYA, fechaYHora, sortable } from '../../lib/fechas'

const fullName = ({ firstName, lastName, displayName }: Administrator) => `${firstName} ${lastName}`.trim() || displayName

const columns: readonly Column<Administrator>[] = [
  {
    id: 'name',
    header: es.columnas.nombre,
    text: (row) => fullName(row) || RAYA,
    cell: (row) => <span className="p-correo">{fullName(row) || RAYA}</span>,
  },
  {
    id: 'email',
    header: es.columnas.correo,
    text: (row) => row.email || RAYA,
    cell: (row) => <Email address={row.email} />,
  },
  { id: 'role', header: es.columnas.rol, text: (row) => row.role || RAYA },
  { id: 'active', header: es.columnas.activo, text: (row) => (row.active ? es.si : es.no) },
  {
    id: 'createdAt',
    header: es.columnas.creado,
    text: (row) => fechaYHora(row.createdAt),
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
      label={es.pestanas.administradores}
      live={people}
      columns={columns}
      searched={searched}
      searchLabel={es.tabla.buscarPersona}
      empty={{ text: es.tabla.sinCoincidencias, slot: 'vacio-busqueda' }}
      file="administradores"
      note={<p className="p-nota">{es.personas.nota}</p>}
    />
  )
}
