import { DASH, dateAndTime } from '../../lib/dates'

/** An address: a long one is broken where one would, before its @. */
export function Email({ address }: { address: string }) {
  const at = address.lastIndexOf('@')
  if (at < 1) return <span className="p-correo">{address || DASH}</span>
  return (
    <span className="p-correo">
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </span>
  )
}

/** A moment: where it takes two lines, the day is one and the time the other. */
export function Moment({ at }: { at: Date | null }) {
  const [day, time] = dateAndTime(at).split(' • ')
  return (
    <span className="p-fecha tabular-nums">
      <span>{day}</span>
      {time ? ' ' : null}
      {time ? <span>• {time}</span> : null}
    </span>
  )
}
