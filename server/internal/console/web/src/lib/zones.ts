/** How far a zone is from UTC at a moment, in minutes. */
function offsetAt(zone: string, moment: Date): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(moment)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0)
  const there = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return Math.round((there - Math.floor(moment.getTime() / 1000) * 1000) / 60_000)
}

/** A moment in a zone, in the form of an input of date and time. */
export function toZone(iso: string, zone: string): string {
  const moment = new Date(iso)
  return new Date(moment.getTime() + offsetAt(zone, moment) * 60_000).toISOString().slice(0, -1)
}

/** The moment of a local time in a zone; null if the text is not a time. */
export function fromZone(local: string, zone: string): string | null {
  const asUtc = Date.parse(`${local}Z`)
  if (Number.isNaN(asUtc)) return null
  const guess = new Date(asUtc - offsetAt(zone, new Date(asUtc)) * 60_000)
  return new Date(asUtc - offsetAt(zone, guess) * 60_000).toISOString()
}

/** The zones to choose from: the browser's and UTC first. */
export function zones(): string[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  return [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])]
}

/** Digits of a fraction beyond milliseconds, which inputs of browsers don't have: «456» of 12:00:00.123456Z. */
export function finerDigits(iso: string): string {
  return /\.\d{3}(\d{1,6})/.exec(iso)?.[1] ?? ''
}

/** A time in milliseconds, with finer digits added. */
export const withFiner = (iso: string, digits: string): string => (digits ? iso.replace(/(\.\d{3})Z$/, `$1${digits}Z`) : iso)
