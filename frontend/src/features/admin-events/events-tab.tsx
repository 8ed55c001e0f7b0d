import { useRef, useState } from 'react'
import { usePanelData } from '../../admin/data/panel-data'
import type { MusicEvent } from '../../admin/data/rows'
import { Dialog } from '../../admin/ui/dialog'
import { useNotify } from '../../admin/ui/toasts'
import type { EventFields } from '../../firebase/panel-writes'
import { es } from '../../i18n/es-admin'
import { DeleteDialog } from './delete-dialog'
import { EventForm } from './event-form'
import { EventGrid } from './event-grid'
import { blank, valuesOf } from './event-values'

/** Events: a form that creates them beside those that are there (F-325…F-327, P-04). */
export function EventsTab() {
  const { events, me } = usePanelData()
  const notify = useNotify()
  const [template, setTemplate] = useState({ values: blank, version: 0 })
  const [edited, setEdited] = useState<MusicEvent>()
  const [deleted, setDeleted] = useState<MusicEvent>()
  const column = useRef<HTMLElement>(null)
  const { eventos } = es

  const create = async (event: EventFields) => {
    const { createEvent } = await import('../../firebase/panel-writes')
    await createEvent(event, me)
  }
  const change = async (id: string, event: EventFields) => {
    const { changeEvent } = await import('../../firebase/panel-writes')
    await changeEvent(id, event)
    setEdited(undefined)
    notify({ text: eventos.guardado })
  }
  const duplicate = (event: MusicEvent) => {
    setTemplate(({ version }) => ({ values: valuesOf(event), version: version + 1 }))
    notify({ text: eventos.duplicado })
    column.current?.scrollIntoView({ block: 'start' })
    column.current?.querySelector('input')?.focus()
  }
  return (
    <div className="p-dos">
      <section ref={column} className="p-capa p-formulario" aria-labelledby="nuevo-evento">
        <h2 id="nuevo-evento" className="p-titulo mb-3 text-[17px]">
          {eventos.nuevo}
        </h2>
        <EventForm
          key={template.version}
          values={template.values}
          label={eventos.crear}
          onSave={create}
          success={eventos.creado}
          failure={eventos.noCreado}
        />
      </section>
      <EventGrid live={events} asking={deleted !== undefined} onEdit={setEdited} onDuplicate={duplicate} onDelete={setDeleted} />
      <Dialog open={edited !== undefined} onClose={() => setEdited(undefined)} kind="window" title={eventos.editar}>
        {edited ? (
          <EventForm
            values={valuesOf(edited)}
            label={eventos.guardar}
            onSave={(event) => change(edited.id, event)}
            failure={eventos.noGuardado}
            onCancel={() => setEdited(undefined)}
          />
        ) : null}
      </Dialog>
      <DeleteDialog event={deleted} onClose={() => setDeleted(undefined)} />
    </div>
  )
}
