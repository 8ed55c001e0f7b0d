import { useId, useState, type FormEvent, type Ref } from 'react'
import { Field } from '../../components/field'
import { SubmitButton } from '../../components/submit-button'
import type { DraftFields } from '../../firebase/draft-writes'
import type { EventFields } from '../../firebase/panel-writes'
import { es } from '../../i18n/es-admin'
import { clear, inputOf, read } from './event-inputs'
import { PictureField } from './picture-field'
import { PickedField } from './picked-field'
import { PriceField } from './price-field'
import { checkDraft, checkEvent, limits } from './event-schema'
import type { Name, Values } from './event-values'

type Props = {
  values: Values
  label: string
  /** Saves the event and returns whether it was saved. If not, it shows the reason itself. A rejection shows `failure`. */
  onSave: (event: EventFields) => Promise<boolean>
  success?: string
  failure: string
  onCancel?: () => void
  /** Saves the content as a draft and returns whether the form can be closed. */
  onDraft?: (draft: DraftFields) => Promise<boolean>
  /** Called with the content of the form after each change. */
  onInput?: (values: Values) => void
  ref?: Ref<HTMLFormElement>
}

type Message = { kind: 'ok' | 'error'; text: string; field?: Name }

/** The fields for creating or changing an event. The inputs are uncontrolled; only submitting reads them. */
export function EventForm({ values, label, onSave, success, failure, onCancel, onDraft, onInput, ref }: Props) {
  const id = useId()
  const [busy, setBusy] = useState(false)
  const [message, setMessage] = useState<Message>()
  const [uploading, setUploading] = useState(false)

  const refuse = (element: HTMLFormElement, { message, field }: { message: string; field: Name }) => {
    setMessage({ kind: 'error', text: message, field })
    inputOf(element, field)?.focus()
  }
  const send = async (element: HTMLFormElement, save: () => Promise<boolean>, texts: { success: string | undefined; failure: string }) => {
    setBusy(true)
    try {
      const saved = await save()
      if (saved && texts.success) {
        clear(element)
        setMessage({ kind: 'ok', text: texts.success })
      }
    } catch {
      setMessage({ kind: 'error', text: texts.failure })
    } finally {
      setBusy(false)
    }
  }
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const element = event.currentTarget
    setMessage(undefined)
    const checked = checkEvent(read(element))
    if (checked.ok) await send(element, () => onSave(checked.values), { success, failure })
    else refuse(element, checked)
  }
  const keep = async (element: HTMLFormElement | null) => {
    if (!element || !onDraft) return
    setMessage(undefined)
    const checked = checkDraft(read(element))
    if (checked.ok) await send(element, () => onDraft(checked.values), { success: es.drafts.saved, failure: es.drafts.notSaved })
    else refuse(element, checked)
  }
  const errorOf = (name: Name) => (message?.field === name ? `${id}-message` : undefined)
  const { events } = es
  return (
    <form
      ref={ref}
      method="post"
      noValidate
      className="panel-campos"
      onSubmit={(event) => void submit(event)}
      onChange={(event) => onInput?.(read(event.currentTarget))}
    >
      <Field label={events.title} errorId={errorOf('title')} className="panel-campo-titulo">
        {(input) => <input {...input} name="title" required maxLength={limits.title} defaultValue={values.title} />}
      </Field>
      <Field label={events.description} errorId={errorOf('description')} className="panel-campo-texto">
        {(input) => (
          <textarea {...input} name="description" required rows={4} maxLength={limits.description} defaultValue={values.description} />
        )}
      </Field>
      <PickedField kind="date" label={events.date} value={values.date} errorId={errorOf('date')} />
      <PickedField kind="time" label={events.time} value={values.time} errorId={errorOf('time')} />
      <Field label={events.place} errorId={errorOf('location')} className="panel-campo-lugar">
        {(input) => <input {...input} name="location" required maxLength={limits.location} defaultValue={values.location} />}
      </Field>
      <Field label={events.artist} hint={events.optional} errorId={errorOf('featuredArtist')} className="panel-campo-medio">
        {(input) => <input {...input} name="featuredArtist" maxLength={limits.featuredArtist} defaultValue={values.featuredArtist} />}
      </Field>
      <PriceField value={values.price} errorId={errorOf('price')} className="panel-campo-medio" />
      <PictureField
        url={values.imageUrl}
        alt={values.imageAlt}
        errorId={errorOf('imageAlt')}
        onBusy={setUploading}
        onChange={(form) => onInput?.(read(form))}
      />
      <div className="panel-acciones">
        <div className="flex flex-wrap items-center gap-2">
          <SubmitButton busy={busy} disabled={uploading} label={label} busyLabel={events.saving} className="min-w-36" />
          {onDraft ? (
            <button
              type="button"
              className="boton"
              disabled={busy || uploading}
              onClick={({ currentTarget }) => void keep(currentTarget.form)}
            >
              {es.drafts.save}
            </button>
          ) : null}
          {onCancel ? (
            <button type="button" className="boton" onClick={onCancel}>
              {events.cancel}
            </button>
          ) : null}
        </div>
        {message ? (
          <p
            id={`${id}-message`}
            role={message.kind === 'ok' ? 'status' : 'alert'}
            className={message.kind === 'ok' ? 'panel-exito' : 'panel-error'}
          >
            {message.text}
          </p>
        ) : null}
      </div>
    </form>
  )
}
