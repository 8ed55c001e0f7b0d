import { useId } from 'react'
import { usePanelData } from '../../admin/data/panel-data'
import { rowsOf } from '../../admin/data/live'
import type { Status } from '../../admin/data/rows'
import { StatusSelect } from '../../admin/ui/status-select'
import { es } from '../../i18n/es-admin'
import { dateAndTime } from '../../lib/dates'
import { StatusChip } from './status-chip'
import { useStatus } from './use-status'

type Props = { path: string; status: Status; statusBy: string; statusAt: Date | null; fixed: boolean }

/** The status of a form, its author and time, and a control to change it. */
export function StatusField({ path, status, statusBy, statusAt, fixed }: Props) {
  const id = useId()
  const { busy, failed, change } = useStatus()
  const { people } = usePanelData()
  const author = rowsOf(people).find((person) => person.id === statusBy)
  const name = author ? author.displayName || author.email : statusBy
  return (
    <div className="grid gap-2">
      {fixed ? (
        <>
          <StatusChip status={status} />
          <p className="ayuda">{es.table.old}</p>
        </>
      ) : (
        <>
          <label htmlFor={id} className="sr-only">
            {es.columns.state}
          </label>
          <StatusSelect
            id={id}
            className="w-48"
            value={status}
            disabled={busy}
            onPick={(next) => {
              if (next) void change([path], next)
            }}
          />
        </>
      )}
      {failed ? (
        <p role="alert" className="panel-error">
          {es.table.statusFailed}
        </p>
      ) : null}
      {statusAt ? (
        <p className="ayuda">
          {es.table.lastChange}: {es.table.trail(name, dateAndTime(statusAt))}
        </p>
      ) : null}
    </div>
  )
}
