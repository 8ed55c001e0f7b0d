/** A map search for a place, or null where there is none (D-29). */
export function enlaceMapa(lugar: string): string | null {
  const texto = lugar.trim()
  return texto ? `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(texto)}` : null
}

/** What a calendar link tells. */
export type Cita = { titulo: string; descripcion: string; lugar: string; inicio: Date }

/** How long an event lasts in calendars (F-701). */
const DURACION_MS = 120 * 60_000

/** A moment as calendars write it: `20250905T233000Z`. */
export function enUtc(momento: Date): string {
  return `${momento.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

/** The moments at which an event begins and ends. */
export function tramo(inicio: Date): { desde: string; hasta: string } {
  return { desde: enUtc(inicio), hasta: enUtc(new Date(inicio.getTime() + DURACION_MS)) }
}

/** A Google Calendar template of an event of two hours (F-242). */
export function enlaceCalendario({ titulo, descripcion, lugar, inicio }: Cita): string {
  const { desde, hasta } = tramo(inicio)
  const campos = { action: 'TEMPLATE', text: titulo, dates: `${desde}/${hasta}`, details: descripcion, location: lugar }
  const consulta = Object.entries(campos).map(([clave, valor]) => `${clave}=${encodeURIComponent(valor).replaceAll('%2F', '/')}`)
  return `https://calendar.google.com/calendar/render?${consulta.join('&')}`
}
