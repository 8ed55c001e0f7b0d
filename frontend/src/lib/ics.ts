import { type Appointment, range } from './links'

/** Text for iCalendar: backslash, semicolon, comma and line breaks are escaped. */
function escapeText(text: string): string {
  return text.replaceAll(/[\\;,]/g, '\\$&').replaceAll(/\r\n?|\n/g, '\\n')
}

/** Folds a line after 75 octets. The following lines begin with a blank (RFC 5545, 3.1). */
function fold(line: string): string {
  const meter = new TextEncoder()
  const parts: string[] = []
  let part = ''
  let bytes = 0
  for (const letter of line) {
    const weight = meter.encode(letter).length
    if (bytes + weight > 74) {
      parts.push(part)
      part = ''
      bytes = 0
    }
    part += letter
    bytes += weight
  }
  return [...parts, part].join('\r\n ')
}

/** An event of two hours as an iCalendar file. Its UID is constant, so that importing it twice creates one entry (P-02). */
export function ics(id: string, { title, description, place, inicio }: Appointment): string {
  const { from, until } = range(inicio)
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Todo por Medio de la Musica//Eventos//ES',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    `UID:${id}@todopormediodelamusica`,
    `DTSTAMP:${from}`,
    `DTSTART:${from}`,
    `DTEND:${until}`,
    `SUMMARY:${escapeText(title)}`,
    `DESCRIPTION:${escapeText(description)}`,
    `LOCATION:${escapeText(place)}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return `${lines.map(fold).join('\r\n')}\r\n`
}
