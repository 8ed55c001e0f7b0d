import { useText } from '../i18n/text'
import { useNow } from '../lib/use-now'

/** A time in short form, with the full form as its title. */
export function Moment({ iso }: { iso: string }) {
  const { time, shortTime } = useText()
  return (
    <time dateTime={iso} title={time(iso)}>
      {shortTime(iso)}
    </time>
  )
}

/** The time since a moment, or its short form if it is long ago, with the full form as its title. */
export function Since({ iso }: { iso: string }) {
  const { time, shortTime, ago } = useText()
  const now = useNow()
  return (
    <time dateTime={iso} title={time(iso)}>
      {ago(iso, now) ?? shortTime(iso)}
    </time>
  )
}

/** A time in short form and, where there is room, the time since then. */
export function MomentSince({ iso }: { iso: string }) {
  const { ago } = useText()
  const passed = ago(iso, useNow())
  return (
    <>
      <Moment iso={iso} />
      {passed && <span className="ago soft small"> {passed}</span>}
    </>
  )
}
