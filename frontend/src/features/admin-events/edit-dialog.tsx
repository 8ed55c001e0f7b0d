import { useEffect, useRef, useState } from 'react'
import { usePanelData } from '../../admin/data/panel-data'
import type { MusicEvent } from '../../admin/data/rows'
import { Dialog } from '../../admin/ui/dialog'
import { useNotify } from '../../admin/ui/toasts'
import type { EventFields } from '../../firebase/panel-writes'
import { es } from '../../i18n/es-admin'
import { EventForm } from './event-form'
import { read, same } from './event-inputs'
import { valuesOf } from './event-values'

type Props = { event: MusicEvent | undefined; onClose: (id: string) => void }

/**
 * Changes a saved event (P-04). What was typed is not lost by a slip: leaving with changes asks first, and once
 * more Escape leaves. Somebody else may change or delete the event meanwhile: that is told, and the text stays.
 */
export function EditDialog({ event, onClose }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const [leaving, setLeaving] = useState<string>()
  if (leaving !== undefined && leaving !== event?.id) setLeaving(undefined)
  const leave = () => {
    if (!event) return
    const changed = form.current !== null && !same(read(form.current), valuesOf(event))
    if (changed && leaving === undefined) setLeaving(event.id)
    else onClose(event.id)
  }
  return (
    <Dialog open={event !== undefined} onClose={leave} kind="window" title={es.eventos.editar}>
      {event ? (
        <>
          {leaving === undefined ? null : <Unsaved onStay={() => setLeaving(undefined)} onLeave={() => onClose(event.id)} />}
          <Editing key={event.id} event={event} form={form} onCancel={leave} onDone={() => onClose(event.id)} />
        </>
      ) : null}
    </Dialog>
  )
}

type EditingProps = { event: MusicEvent; form: React.RefObject<HTMLFormElement | null>; onCancel: () => void; onDone: () => void }

/** The form, and what became of the event since it was opened. */
function Editing({ event, form, onCancel, onDone }: EditingProps) {
  const { events, me } = usePanelData()
  const notify = useNotify()
  const [saving, setSaving] = useState(false)
  const { eventos } = es
  const [opened] = useState(() => valuesOf(event))
  const now = events.status === 'ready' ? events.rows.find((row) => row.id === event.id) : event
  const gone = now === undefined && !saving
  const save = async (fields: EventFields) => {
    setSaving(true)
    try {
      const { changeEvent, createEvent } = await import('../../firebase/panel-writes')
      await (gone ? createEvent(fields, me) : changeEvent(event.id, fields))
    } finally {
      setSaving(false)
    }
    onDone()
    notify({ text: gone ? eventos.creado : eventos.guardado })
  }
  return (
    <>
      {gone ? <Warning>{eventos.eliminadoPorOtro}</Warning> : null}
      {now && !saving && !same(opened, valuesOf(now)) ? <Warning>{eventos.cambiadoPorOtro}</Warning> : null}
      <EventForm
        ref={form}
        values={opened}
        label={gone ? eventos.crear : eventos.guardar}
        onSave={save}
        failure={eventos.noGuardado}
        onCancel={onCancel}
      />
    </>
  )
}

function Warning({ children }: { children: string }) {
  return (
    <p role="alert" className="p-problema">
      {children}
    </p>
  )
}

/** Asks what to do with changes that are not saved. */
function Unsaved({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const stay = useRef<HTMLButtonElement>(null)
  useEffect(() => stay.current?.focus(), [])
  return (
    <div className="p-problema grid gap-2">
      <p role="alert">{es.eventos.sinGuardar}</p>
      <div className="flex flex-wrap gap-2">
        <button ref={stay} type="button" className="p-boton" onClick={onStay}>
          {es.eventos.seguir}
        </button>
        <button type="button" className="p-boton p-boton-peligro" onClick={onLeave}>
          {es.eventos.descartar}
        </button>
      </div>
    </div>
  )
}
