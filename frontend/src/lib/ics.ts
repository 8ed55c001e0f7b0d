import { type Cita, tramo } from './enlaces'

/** Text as iCalendar wants it: backslash, semicolon, comma and line breaks escaped. */
function escapar(texto: string): string {
  return texto.replaceAll(/[\\;,]/g, '\\$&').replaceAll(/\r\n?|\n/g, '\\n')
}

/** A line of at most 75 octets, the rest on lines that begin with a blank (RFC 5545, 3.1). */
function plegar(linea: string): string {
  const medidor = new TextEncoder()
  const partes: string[] = []
  let parte = ''
  let octetos = 0
  for (const letra of linea) {
    const peso = medidor.encode(letra).length
    if (octetos + peso > 74) {
      partes.push(parte)
      parte = ''
      octetos = 0
    }
    parte += letra
    octetos += peso
  }
  return [...partes, parte].join('\r\n ')
}

/** An event of two hours as an iCalendar file; its UID stays the same, so that importing it twice makes one entry (P-02). */
export function ics(id: string, { titulo, descripcion, lugar, inicio }: Cita): string {
  const { desde, hasta } = tramo(inicio)
  const lineas = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Todo por Medio de la Musica//Eventos//ES',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    `UID:${id}@todopormediodelamusica`,
    `DTSTAMP:${desde}`,
    `DTSTART:${desde}`,
    `DTEND:${hasta}`,
    `SUMMARY:${escapar(titulo)}`,
    `DESCRIPTION:${escapar(descripcion)}`,
    `LOCATION:${escapar(lugar)}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return `${lineas.map(plegar).join('\r\n')}\r\n`
}
