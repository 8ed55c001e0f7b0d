import { Calendar, Clock } from 'lucide-react'
import { useRef } from 'react'
import { Field } from '../../components/field'
import { es } from '../../i18n/es-admin'
import { clockTime, dateText, isoDate } from './event-text'
import { useUnderstood } from './use-understood'

type Props = { kind: 'date' | 'time'; label: string; value: string; errorId: string | undefined }

const kinds = {
  date: { icon: Calendar, open: es.events.openCalendar, example: es.events.dateExample },
  time: { icon: Clock, open: es.events.openClock, example: es.events.timeExample },
}

/**
 * A date or a time of day, typed as text or chosen in the browser's picker. The browser's own field becomes empty for a date that does not
 * exist; this field keeps the typed text, so that the error can be explained.
 */
export function PickedField({ kind, label, value, errorId }: Props) {
  const { input: text, note, follow, put } = useUnderstood(kind, value)
  const picker = useRef<HTMLInputElement>(null)
  const { icon: Icon, open, example } = kinds[kind]
  const pick = () => {
    if (!picker.current || !text.current) return
    // The picker accepts only values in its own format, and is empty otherwise.
    picker.current.value = kind === 'date' ? isoDate(text.current.value) : clockTime(text.current.value)
    picker.current.showPicker()
  }
  const button = (
    <span className="panel-elegir">
      <input ref={picker} type={kind} tabIndex={-1} aria-hidden="true" onChange={({ target }) => put(dateText(target.value))} />
      <button type="button" className="panel-icono" aria-label={open} onClick={pick}>
        <Icon aria-hidden size={16} />
      </button>
    </span>
  )
  return (
    <Field
      label={label}
      hint={<span aria-live="polite">{note || example}</span>}
      errorId={errorId}
      after={button}
      className="panel-con-boton"
    >
      {(input) => <input {...input} ref={text} name={kind} required autoComplete="off" onInput={follow} defaultValue={value} />}
    </Field>
  )
}
