import { useState } from 'react'
import type { MusicEvent } from '../../admin/data/rows'
import { Dialog } from '../../admin/ui/dialog'
import { useNotify } from '../../admin/ui/toasts'
import { es } from '../../i18n/es-admin'
import { fechaYHora } from '../../lib/fechas'

/** How long a deletion can be undone (P-07). */
const UNDO_MS = 8000

/** Asks before an event is deleted, names it, and offers to undo afterwards (F-327, N-06). */
export function DeleteDialog({ event, onClose }: { event: MusicEvent | undefined; onClose: () => void }) {
  const notify = useNotify()
  const [state, setState] = useState<'asking' | 'busy' | 'failed'>('asking')
  const { eventos } = es
  const close = () => {
    setState('asking')
    onClose()
  }
  const remove = async (id: string) => {
    setState('busy')
    try {
      const { deleteEvent } = await import('../../firebase/panel-writes')
      const restore = await deleteEvent(id)
      const undo = () => {
        restore().then(
          () => notify({ text: eventos.restaurado }),
          () => notify({ text: eventos.noRestaurado, kind: 'error' }),
        )
      }
      notify({ text: eventos.eliminado, duration: UNDO_MS, action: { label: eventos.deshacer, run: undo } })
      close()
    } catch {
      setState('failed')
    }
  }
  return (
    <Dialog open={event !== undefined} onClose={close} kind="alert" title={eventos.preguntaEliminar}>
      {event ? (
        <>
          <p>
            <strong>{event.title || eventos.sinTitulo}</strong>
            <br />
            {fechaYHora(event.eventDate)}
          </p>
          {state === 'failed' ? (
            <p role="alert" className="p-error">
              {eventos.noEliminado}
            </p>
          ) : null}
          <div className="flex justify-end gap-2">
            <button type="button" className="p-boton" onClick={close}>
              {eventos.cancelar}
            </button>
            <button type="button" className="p-boton p-boton-peligro" disabled={state === 'busy'} onClick={() => void remove(event.id)}>
              {state === 'busy' ? eventos.eliminando : eventos.eliminar}
            </button>
          </div>
        </>
      ) : null}
    </Dialog>
  )
}
