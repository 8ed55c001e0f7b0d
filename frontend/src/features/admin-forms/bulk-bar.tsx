import { useId, useState } from 'react'
import type { Status } from '../../admin/data/rows'
import { StatusSelect } from '../../admin/ui/status-select'
import { es } from '../../i18n/es-admin'
import { useStatus } from './use-status'

/** The actions for the selected rows: setting the status of all of them. */
export function BulkBar({ paths, onDone }: { paths: readonly string[]; onDone: () => void }) {
  const id = useId()
  const [status, setStatus] = useState<Status>('in-progress')
  const { busy, failed, change } = useStatus()
  const apply = async () => {
    if (await change(paths, status)) onDone()
  }
  return (
    <div className="panel-lote">
      <p role="status" className="font-semibold">
        {es.table.selectedCount(paths.length)}
      </p>
      {failed ? (
        <p role="alert" className="panel-error">
          {es.table.statusFailed}
        </p>
      ) : null}
      <label htmlFor={id} className="ml-auto">
        {es.table.markAs}
      </label>
      <StatusSelect id={id} className="w-auto" value={status} onPick={(next) => setStatus(next ?? status)} />
      <button type="button" className="boton boton-primario" disabled={busy || paths.length === 0} onClick={() => void apply()}>
        {es.table.apply}
      </button>
    </div>
  )
}
