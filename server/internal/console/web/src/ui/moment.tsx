import { useText } from '../i18n/text'

/** A time in short form, with the full form as its title. */
export function Moment({ iso }: { iso: string }) {
  const { time, shortTime } = useText()
  return (
    <time dateTime={iso} title={time(iso)}>
      {shortTime(iso)}
    </time>
  )
}
