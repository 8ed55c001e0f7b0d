import { useState } from 'react'
import type { MusicEvent } from '../../admin/data/rows'
import { Dialog } from '../../components/dialog'
import { useNotify } from '../../admin/ui/toasts'
import { es } from '../../i18n/es-admin'
import { dateAndTime } from '../../lib/dates'

/** How long a deletion can be undone (P-07). */
const UNDO_MS = 8000

type Props = { event: MusicEvent | undefined; onClose: (id: string) => void }

/** Requires a confirmation with the event's name before the deletion, and offers to undo it afterwards (F-327, N-06). */
export function DeleteDialog({ event, onClose }: Props) {
  const close = () => {
    if (event) onClose(event.id)
  }
  return (
    <Dialog open={event !== undefined} onClose={close} kind="alert" title={es.events.deleteQuestion}>
      {event ? <Question key={event.id} event={event} onClose={close} /> : null}
    </Dialog>
  )
}

/** The confirmation for one event. Its state is discarded when it closes. */
function Question({ event, onClose }: { event: MusicEvent; onClose: () => void }) {
  const notify = useNotify()
  const [state, setState] = useState<'asking' | 'busy' | 'failed'>('asking')
  const { events } = es
  const remove = async () => {
    setState('busy')
    try {
      const { deleteEvent } = await import('../../firebase/panel-writes')
      const restore = await deleteEvent(event.id)
      const undo = () => {
        restore?.().then(
          () => notify({ text: events.restored }),
          () => notify({ text: events.notRestored, kind: 'error' }),
        )
      }
      // If another user has deleted the event before, there is nothing to restore.
      const action = restore ? { action: { label: events.undo, run: undo } } : {}
      notify({ text: events.deleted, duration: UNDO_MS, ...action })
      onClose()
    } catch {
      setState('failed')
    }
  }
  return (
    <>
      <p>
        <strong>{event.title || events.untitled}</strong>
        <br />
        {dateAndTime(event.eventDate)}
      </p>
      {state === 'failed' ? (
        <p role="alert" className="panel-error">
          {events.notDeleted}
        </p>
      ) : null}
      <div className="flex justify-end gap-2">
        <button type="button" className="boton" onClick={onClose}>
          {events.cancel}
        </button>
        <button type="button" className="boton boton-peligro" disabled={state === 'busy'} onClick={() => void remove()}>
          {state === 'busy' ? events.deleting : events.remove}
        </button>
      </div>
    </>
  )
}
