import type { Status } from '../../admin/data/rows'
import { es } from '../../i18n/es-admin'

/** The status of a form: a word with a mark, not only a colour. */
export function StatusChip({ status }: { status: Status }) {
  return (
    <span className="panel-estado" data-estado={status}>
      {es.statuses[status]}
    </span>
  )
}
