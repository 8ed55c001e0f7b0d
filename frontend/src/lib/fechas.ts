/** The foundation's days: America/Santo_Domingo, four hours behind UTC the whole year (D-07). Never the device's zone. */
export const ZONA = 'America/Santo_Domingo'
const DESFASE = '-04:00'

/** Short months as the site writes them (D-08): ICU's "sept" has four letters. */
const MESES = ['ENE', 'FEB', 'MAR', 'ABR', 'MAY', 'JUN', 'JUL', 'AGO', 'SEP', 'OCT', 'NOV', 'DIC'] as const

/** What stands where a value is missing. */
export const RAYA = '—'

const partes = new Intl.DateTimeFormat('en-CA', {
  timeZone: ZONA,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** A moment's date and time of day in the foundation's zone. */
export type Local = { fecha: string; hora: string }

/** Whether a date is a moment. */
export function esFecha(momento: Date | null | undefined): momento is Date {
  return momento instanceof Date && !Number.isNaN(momento.getTime())
}

/** Takes a moment apart: `2025-09-05` and `19:30`. Null when it is none. */
export function enLocal(momento: Date | null | undefined): Local | null {
  if (!esFecha(momento)) return null
  const de = Object.fromEntries(partes.formatToParts(momento).map(({ type, value }) => [type, value]))
  return { fecha: `${de['year']}-${de['month']}-${de['day']}`, hora: `${de['hour']}:${de['minute']}` }
}

/** `05 SEP 2025 • 19:30` (D-08), or a dash. */
export function fechaYHora(momento: Date | null | undefined): string {
  const local = enLocal(momento)
  return local ? `${fechaCorta(local.fecha)} • ${local.hora}` : RAYA
}

/** `2025-09-05 19:30`, which spreadsheets sort and read as a date; empty without a moment. */
export function sortable(momento: Date | null | undefined): string {
  const local = enLocal(momento)
  return local ? `${local.fecha} ${local.hora}` : ''
}

/** `05 SEP 2025` of `2025-09-05`, or a dash. */
export function fechaCorta(fecha: string): string {
  const [anio, mes, dia] = fecha.split('-')
  const nombre = MESES[Number(mes) - 1]
  return anio && dia && nombre ? `${dia} ${nombre} ${anio}` : RAYA
}

/** The moment of a date `yyyy-mm-dd` and a time `HH:mm` in the foundation's zone; null when there is none such. */
export function momentoDe(fecha: string, hora: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(fecha) || !/^\d{2}:\d{2}$/.test(hora)) return null
  const momento = new Date(`${fecha}T${hora}:00${DESFASE}`)
  const local = enLocal(momento)
  return local && local.fecha === fecha && local.hora === hora ? momento : null
}

/** Today's date in the foundation's zone. */
export function hoy(ahora: Date = new Date()): string {
  return enLocal(ahora)?.fecha ?? ''
}
