import { DASH, dateAndTime } from '../../lib/dates'

/** An e-mail address. A long one is broken before its @. */
export function Email({ address }: { address: string }) {
  const at = address.lastIndexOf('@')
  if (at < 1) return <span className="panel-correo">{address || DASH}</span>
  return (
    <span className="panel-correo">
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </span>
  )
}

/** A time. If it needs two lines, the day and the time of day are on separate lines. */
export function Moment({ at }: { at: Date | null }) {
  const [day, time] = dateAndTime(at).split(' • ')
  return (
    <span className="panel-fecha">
      <span>{day}</span>
      {time ? ' ' : null}
      {time ? <span>• {time}</span> : null}
    </span>
  )
}
