import { tEvent } from '../../i18n/es-events'
import type { PublicEvent } from '../../lib/event'
import { DASH } from '../../lib/dates'
import { spokenDay, spokenTime } from '../../lib/spoken'

/**
 * The three boxes of an event, with a dash for missing values (F-125). The line above has the date already: the boxes
 * add the weekday and the spoken time.
 */
export function Boxes({ event }: { event: PublicEvent }) {
  const boxes = [
    { name: tEvent.date, text: event.date, note: spokenDay(event.moment, event.date) },
    { name: tEvent.time, text: event.time, note: spokenTime(event.moment, event.time) },
    { name: tEvent.place, text: event.place || DASH, note: '' },
  ]
  return (
    <dl className="grid w-full grid-cols-2 gap-3 sm:grid-cols-3">
      {boxes.map(({ name, text, note }) => (
        <div key={name} className="border-borde bg-superficie max-sm:last:col-span-2 rounded-sm border-2 px-4 py-3">
          <dt className="text-suave text-sm">{name}</dt>
          <dd className="font-semibold wrap-anywhere">{text}</dd>
          {note ? <dd className="text-suave text-sm">{note}</dd> : null}
        </div>
      ))}
    </dl>
  )
}
