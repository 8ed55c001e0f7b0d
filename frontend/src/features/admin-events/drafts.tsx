import { useId, useState, type FormEvent } from 'react'
import { rowsOf } from '../../admin/data/live'
import { usePanelData } from '../../admin/data/panel-data'
import type { DraftEvent } from '../../admin/data/rows'
import { Dialog } from '../../components/dialog'
import { textOf } from '../../admin/form-text'
import { SubmitButton } from '../../components/submit-button'
import { useNotify } from '../../admin/ui/toasts'
import type { DraftFields } from '../../firebase/draft-writes'
import type { EventFields } from '../../firebase/panel-writes'
import { es } from '../../i18n/es-admin'
import { dateAndTime, momentOf } from '../../lib/dates'
import { EventForm } from './event-form'
import { checkEvent } from './event-schema'
import { clockTime, dateText, isoDate } from './event-text'
import { valuesOf } from './event-values'
import { PickedField } from './picked-field'

const texts = es.drafts

/** The open dialog for a draft. */
type DraftDialog = { what: 'edit' | 'schedule' | 'remove'; draft: DraftEvent }

/** The unpublished events with their actions (P-05). It shows nothing if there are none. */
export function Drafts() {
  const { drafts } = usePanelData()
  const [dialog, setDialog] = useState<DraftDialog>()
  const rows = rowsOf(drafts)
  const close = () => setDialog(undefined)
  const of = (what: DraftDialog['what']) => (dialog?.what === what ? dialog.draft : undefined)
  return (
    <>
      {rows.length > 0 ? (
        <section aria-labelledby="borradores" className="panel-capa grid gap-3 p-4">
          <h2 id="borradores" className="panel-titulo text-[17px]">
            {texts.title}
          </h2>
          <p className="ayuda">{texts.help}</p>
          <ul className="grid gap-3">
            {rows.map((draft) => (
              <li key={draft.id}>
                <DraftRow draft={draft} onDo={(what) => setDialog({ what, draft })} />
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <Dialog open={of('edit') !== undefined} onClose={close} kind="window" title={texts.edit}>
        {of('edit') ? <EditDraft draft={of('edit')} onClose={close} /> : null}
      </Dialog>
      <Dialog open={of('schedule') !== undefined} onClose={close} kind="window" title={texts.scheduleTitle}>
        {of('schedule') ? <Schedule draft={of('schedule')} onClose={close} /> : null}
      </Dialog>
      <Dialog open={of('remove') !== undefined} onClose={close} kind="alert" title={texts.removeQuestion}>
        {of('remove') ? <Remove draft={of('remove')} onClose={close} /> : null}
      </Dialog>
    </>
  )
}

/** A draft in the list. */
function DraftRow({ draft, onDo }: { draft: DraftEvent; onDo: (what: DraftDialog['what']) => void }) {
  const heading = useId()
  const action = (what: DraftDialog['what'], label: string, className = '') => (
    <button type="button" className={`panel-accion ${className}`} aria-describedby={heading} onClick={() => onDo(what)}>
      {label}
    </button>
  )
  return (
    <article className="panel-evento" aria-labelledby={heading}>
      <p className="panel-evento-fecha">
        {dateAndTime(draft.eventDate)}
        {draft.publishAt ? <span className="panel-estado">{texts.scheduled(dateAndTime(draft.publishAt))}</span> : null}
      </p>
      <h3 id={heading} className="panel-titulo text-[15px]">
        {draft.title}
      </h3>
      <div className="panel-evento-pie">
        {action('edit', texts.open)}
        {action('schedule', texts.schedule)}
        {action('remove', texts.remove, 'panel-accion-peligro')}
      </div>
    </article>
  )
}

type Props = { draft: DraftEvent | undefined; onClose: () => void }

/** The form of a draft, which publishes or saves it. */
function EditDraft({ draft, onClose }: Props) {
  const { me } = usePanelData()
  const notify = useNotify()
  if (!draft) return null
  const publish = async (event: EventFields) => {
    const [{ publishDraft }, { Changed }] = await Promise.all([
      import('../../firebase/draft-writes'),
      import('../../firebase/panel-writes'),
    ])
    try {
      await publishDraft(draft.id, event, me)
      notify({ text: texts.published })
    } catch (error) {
      if (!(error instanceof Changed)) throw error
      notify({ text: texts.gone, kind: 'error' })
    }
    onClose()
    return true
  }
  const keep = async (fields: DraftFields) => {
    const { changeDraft } = await import('../../firebase/draft-writes')
    await changeDraft(draft.id, fields)
    onClose()
    notify({ text: texts.saved })
    return false
  }
  return (
    <EventForm
      values={{ ...valuesOf(draft), date: dateText(draft.date), time: draft.time }}
      label={texts.publish}
      onSave={publish}
      onDraft={keep}
      failure={texts.notPublished}
      onCancel={onClose}
    />
  )
}

/** Sets or removes the time at which a draft is published automatically. */
function Schedule({ draft, onClose }: Props) {
  const notify = useNotify()
  const id = useId()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  if (!draft) return null
  const whole = checkEvent({ ...valuesOf(draft), date: dateText(draft.date), time: draft.time })
  const put = async (publishAt: Date | null) => {
    setBusy(true)
    setProblem('')
    try {
      const { scheduleDraft } = await import('../../firebase/draft-writes')
      await scheduleDraft(draft.id, publishAt)
      notify({ text: publishAt ? texts.scheduled(dateAndTime(publishAt)) : texts.unscheduled })
      onClose()
    } catch {
      setProblem(texts.notChanged)
      setBusy(false)
    }
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const moment = momentOf(isoDate(textOf(form, 'date')), clockTime(textOf(form, 'time')))
    if (!moment) setProblem(es.events.invalidDate)
    else if (moment.getTime() <= Date.now()) setProblem(texts.wantsFuture)
    else void put(moment)
  }
  if (!whole.ok) return <p role="alert">{whole.field === 'imageAlt' ? whole.message : texts.incomplete}</p>
  return (
    <form method="post" noValidate className="panel-campos" onSubmit={submit}>
      <PickedField kind="date" label={es.events.date} value="" errorId={problem ? id : undefined} />
      <PickedField kind="time" label={es.events.time} value="" errorId={problem ? id : undefined} />
      <div className="col-span-full flex flex-wrap gap-2">
        <SubmitButton busy={busy} label={texts.schedule} busyLabel={es.events.saving} className="min-w-36" />
        {draft.publishAt ? (
          <button type="button" className="boton" disabled={busy} onClick={() => void put(null)}>
            {texts.takeBack}
          </button>
        ) : null}
      </div>
      {problem ? (
        <p id={id} role="alert" className="panel-error col-span-full">
          {problem}
        </p>
      ) : null}
    </form>
  )
}

/** Requires a confirmation before a draft is discarded. */
function Remove({ draft, onClose }: Props) {
  const notify = useNotify()
  const [state, setState] = useState<'asking' | 'busy' | 'failed'>('asking')
  if (!draft) return null
  const remove = async () => {
    setState('busy')
    try {
      const { deleteDraft } = await import('../../firebase/draft-writes')
      await deleteDraft(draft.id)
      notify({ text: texts.removed })
      onClose()
    } catch {
      setState('failed')
    }
  }
  return (
    <>
      <p>
        <strong>{draft.title}</strong>
      </p>
      {state === 'failed' ? (
        <p role="alert" className="panel-error">
          {es.events.notDeleted}
        </p>
      ) : null}
      <div className="flex justify-end gap-2">
        <button type="button" className="boton" onClick={onClose}>
          {es.events.cancel}
        </button>
        <button type="button" className="boton boton-peligro" disabled={state === 'busy'} onClick={() => void remove()}>
          {state === 'busy' ? es.events.deleting : texts.remove}
        </button>
      </div>
    </>
  )
}
