import { useEffect, useRef, useState } from 'react'
import { usePanelData } from '../../admin/data/panel-data'
import type { MusicEvent } from '../../admin/data/rows'
import { Dialog } from '../../components/dialog'
import { useNotify } from '../../admin/ui/toasts'
import { useNarrow } from '../../admin/use-narrow'
import type { DraftFields } from '../../firebase/draft-writes'
import type { EventFields } from '../../firebase/panel-writes'
import { es } from '../../i18n/es-admin'
import { DeleteDialog } from './delete-dialog'
import { Drafts } from './drafts'
import { keepDraft, readDraft } from './draft'
import { EditDialog } from './edit-dialog'
import { EventForm } from './event-form'
import { EventGrid } from './event-grid'
import { same } from './event-inputs'
import { blank, valuesOf, type Values } from './event-values'

/** Events: a form for new ones beside the existing ones; on a phone it is a sheet over them (F-325…F-327, P-04). */
export function EventsTab() {
  const { events, me } = usePanelData()
  const notify = useNotify()
  const [template, setTemplate] = useState(() => ({ values: readDraft(me.uid), version: 0 }))
  const [edited, setEdited] = useState<MusicEvent>()
  const [deleted, setDeleted] = useState<MusicEvent>()
  const [sheet, setSheet] = useState(false)
  const narrow = useNarrow()
  const column = useRef<HTMLDivElement>(null)
  const { version } = template
  useEffect(() => {
    // A form with new content is another element. It is scrolled into view, and receives the focus, once it is rendered.
    if (version === 0) return
    const first = column.current?.querySelector('input')
    first?.focus({ preventScroll: true })
    first?.scrollIntoView({ block: 'nearest' })
  }, [version])
  const { events: texts } = es

  const create = async (event: EventFields) => {
    const { createEvent } = await import('../../firebase/panel-writes')
    await createEvent(event, me)
    keepDraft(me.uid, blank)
    return true
  }
  const keep = async (draft: DraftFields) => {
    const { createDraft } = await import('../../firebase/draft-writes')
    await createDraft(draft, me)
    keepDraft(me.uid, blank)
    return true
  }
  const begin = (values: Values) => {
    keepDraft(me.uid, values)
    setTemplate(({ version }) => ({ values, version: version + 1 }))
    setSheet(true)
  }
  const duplicate = (event: MusicEvent) => {
    const before = readDraft(me.uid)
    begin(valuesOf(event))
    // The copy replaces an unfinished new event.
    const undo = same(before, blank) ? {} : { action: { label: texts.undo, run: () => begin(before) } }
    notify({ text: texts.duplicated, ...undo })
  }
  // A dialog that was closed meanwhile, or that is for another event by now, is not changed.
  const closeOf = (set: typeof setEdited) => (id: string) => set((open) => (open?.id === id ? undefined : open))
  const form = (
    <div ref={column} className="panel-formulario-campos">
      <EventForm
        key={template.version}
        values={template.values}
        label={texts.create}
        onSave={create}
        onDraft={keep}
        onInput={(values) => keepDraft(me.uid, values)}
        success={texts.created}
        failure={texts.notCreated}
      />
    </div>
  )
  return (
    <div className="panel-dos">
      {narrow ? (
        <>
          <button type="button" className="boton boton-primario" onClick={() => begin(readDraft(me.uid))}>
            {texts.fresh}
          </button>
          <Dialog open={sheet} onClose={() => setSheet(false)} kind="window" title={texts.fresh}>
            {form}
          </Dialog>
        </>
      ) : (
        <section className="panel-capa panel-formulario" aria-labelledby="nuevo-evento">
          <h2 id="nuevo-evento" className="panel-titulo mb-3 text-[17px]">
            {texts.fresh}
          </h2>
          {form}
        </section>
      )}
      <div className="grid content-start gap-6">
        <Drafts />
        <EventGrid live={events} asking={deleted !== undefined} onEdit={setEdited} onDuplicate={duplicate} onDelete={setDeleted} />
      </div>
      <EditDialog event={edited} onClose={closeOf(setEdited)} />
      <DeleteDialog event={deleted} onClose={closeOf(setDeleted)} />
    </div>
  )
}
