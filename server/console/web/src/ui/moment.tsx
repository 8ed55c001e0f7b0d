import { useText } from '../i18n/text'

/** A moment in a list: short, and whole under the pointer. */
export function Moment({ iso }: { iso: string }) {
  const { time, shortTime } = useText()
  return (
    <time dateTime={iso} title={time(iso)}>
      {shortTime(iso)}
    </time>
  )
}
