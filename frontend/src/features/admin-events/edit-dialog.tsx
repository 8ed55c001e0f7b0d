import { useRef, useState } from 'react'
import type { MusicEvent } from '../../admin/data/rows'
import { Unsaved } from '../../admin/ui/unsaved'
import { Dialog } from '../../components/dialog'
import { es } from '../../i18n/es-admin'
import { Editing } from './editing'
import { read, same } from './event-inputs'
import { type Values, valuesOf } from './event-values'

type Props = { event: MusicEvent | undefined; onClose: (id: string) => void }

/**
 * Changes a saved event (P-04). Closing with unsaved changes requires a confirmation, in which another Escape closes.
 * If another user changes or deletes the event meanwhile, the dialog reports it and keeps the text.
 */
export function EditDialog({ event, onClose }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const [base, setBase] = useState<Values>()
  const [leaving, setLeaving] = useState(false)
  const [shown, setShown] = useState(event)
  if (shown !== event) {
    setShown(event)
    setBase(event && valuesOf(event))
    setLeaving(false)
  }
  const leave = () => {
    if (!event) return
    const changed = form.current !== null && base !== undefined && !same(read(form.current), base)
    if (changed && !leaving) setLeaving(true)
    else onClose(event.id)
  }
  return (
    <Dialog open={event !== undefined} onClose={leave} kind="window" title={es.events.edit}>
      {event && base ? (
        <>
          {leaving ? <Unsaved text={es.events.unsaved} onStay={() => setLeaving(false)} onLeave={() => onClose(event.id)} /> : null}
          <Editing
            key={event.id}
            event={event}
            base={base}
            onBase={setBase}
            form={form}
            onCancel={leave}
            onDone={() => onClose(event.id)}
          />
        </>
      ) : null}
    </Dialog>
  )
}
