/** A map search for a place, or null without a place (D-29). */
export function mapLink(place: string): string | null {
  const text = place.trim()
  return text ? `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(text)}` : null
}

/** PayPal's page of donations with an amount in US dollars. */
export function donationLink(page: string, dollars: number): string {
  const url = new URL(page)
  url.searchParams.set('amount', String(dollars))
  url.searchParams.set('currency_code', 'USD')
  return url.href
}

/** The data of a calendar link. */
export type Appointment = { title: string; description: string; place: string; inicio: Date }

/** The duration of an event in calendars (F-701). */
const DURATION_MS = 120 * 60_000

/** A time in the format of calendars: `20250905T233000Z`. */
export function inUtc(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

/** The start and end of an event. */
export function range(inicio: Date): { from: string; until: string } {
  return { from: inUtc(inicio), until: inUtc(new Date(inicio.getTime() + DURATION_MS)) }
}

/** A Google Calendar template of an event of two hours (F-242). */
export function calendarLink({ title, description, place, inicio }: Appointment): string {
  const { from, until } = range(inicio)
  const fields = { action: 'TEMPLATE', text: title, dates: `${from}/${until}`, details: description, location: place }
  const parameters = Object.entries(fields).map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll('%2F', '/')}`)
  return `https://calendar.google.com/calendar/render?${parameters.join('&')}`
}
