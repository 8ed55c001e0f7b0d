import { type RefObject, useMemo, useState } from 'react'
import * as v from 'valibot'
import { usePanelData } from '../../admin/data/panel-data'
import { type MusicEvent, musicEvent } from '../../admin/data/rows'
import { useLiveRow } from '../../admin/data/use-live-row'
import { useNotify } from '../../admin/ui/toasts'
import type { Row } from '../../firebase/panel'
import type { EventFields } from '../../firebase/panel-writes'
import { es } from '../../i18n/es-admin'
import { Conflict, Recovery } from './conflict'
import { EventForm } from './event-form'
import { differing, read, same } from './event-inputs'
import { type Values, valuesOf } from './event-values'
import { useConflict } from './use-conflict'

type Props = {
  event: MusicEvent
  /** The version on which the form's text is based: the one at the opening, or the one agreed on last. */
  base: Values
  onBase: (base: Values) => void
  form: RefObject<HTMLFormElement | null>
  onCancel: () => void
  onDone: () => void
}

/** The fields of an event in a document of the collection. */
const eventOf = ({ id, fields }: Row): MusicEvent => v.parse(musicEvent, { ...fields, id })

/** The current event; null if it was deleted. A refused save may return it before the listener does. */
function useNow(event: MusicEvent) {
  // The list cannot be used, because it contains only the visible events.
  const row = useLiveRow(`MusicEvent/${event.id}`)
  const listed = useMemo(() => (row === undefined ? event : row && eventOf(row)), [row, event])
  const [received, setReceived] = useState<{ now: MusicEvent | null; listed: MusicEvent | null }>()
  const receive = (row: Row | null) => setReceived({ now: row && eventOf(row), listed })
  // A later result of the listener has precedence.
  return { now: received && received.listed === listed ? received.now : listed, receive }
}

/** The form of an event. It reports changes made since it was opened: no user's changes are overwritten without confirmation. */
export function Editing({ event, base, onBase, form, onCancel, onDone }: Props) {
  const { me } = usePanelData()
  const notify = useNotify()
  const { now, receive } = useNow(event)
  const [saving, setSaving] = useState(false)
  const [opened] = useState(base)
  const gone = now === null && !saving
  const current = now && !saving ? valuesOf(now) : base
  const agreed = same(base, current)
  const conflict = useConflict({ form, base, current, onBase })
  const { events } = es

  const write = async (fields: EventFields) => {
    const { changeEvent, createEvent, Changed } = await import('../../firebase/panel-writes')
    try {
      await (gone ? createEvent(fields, me) : changeEvent(event.id, fields, (row) => same(base, valuesOf(eventOf(row)))))
      return true
    } catch (error) {
      if (!(error instanceof Changed)) throw error
      receive(error.now)
      return false
    }
  }
  const save = async (fields: EventFields) => {
    setSaving(true)
    try {
      // The stored event may equal the form already, for example after a save whose response was lost.
      const there = form.current !== null && !agreed && same(read(form.current), current)
      const saved = there || (agreed && (await write(fields)))
      if (saved) {
        onDone()
        notify({ text: gone ? events.created : events.saved })
      } else conflict.refuse()
      return saved
    } finally {
      setSaving(false)
    }
  }
  return (
    <>
      {gone ? (
        <p role="alert" className="panel-problema">
          {events.deletedByOther}
        </p>
      ) : null}
      {agreed ? null : <Conflict {...conflict} changed={differing(base, current)} theirs={current} />}
      {conflict.dropped ? <Recovery onRecover={conflict.recover} /> : null}
      <EventForm
        ref={form}
        values={opened}
        label={gone ? events.create : events.save}
        onSave={save}
        failure={events.notSaved}
        onCancel={onCancel}
      />
    </>
  )
}
