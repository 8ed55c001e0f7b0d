import { momentoDe } from './fechas'

/** How much the calendar shows at once. */
export type Vista = 'mes' | 'semana'

const MESES = ['enero', 'febrero', 'marzo', 'abril', 'mayo', 'junio', 'julio', 'agosto', 'septiembre', 'octubre', 'noviembre', 'diciembre']

/** The days of the week, Monday first (F-231). */
export const DIAS = ['lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado', 'domingo'] as const

// Days are texts `yyyy-mm-dd`; noon in UTC stands for each while counting, so no zone can move it.
const alMediodia = (fecha: string) => new Date(`${fecha}T12:00:00Z`)
const comoTexto = (dia: Date) => dia.toISOString().slice(0, 10)

/** The days that the calendar turns to: from when Santo Domingo has kept its clock, and while years have four digits. */
const PRIMERO = '2001-01-01'
const FIN = '3000-01-01'

/** Whether a text is a day that exists, and that the calendar shows. */
export function esDia(texto: string): boolean {
  return momentoDe(texto, '00:00') !== null && texto >= PRIMERO && texto < FIN
}

/** The day so many days later. */
export function sumarDias(fecha: string, dias: number): string {
  const dia = alMediodia(fecha)
  dia.setUTCDate(dia.getUTCDate() + dias)
  return comoTexto(dia)
}

/** The same day so many months later, or that month's last. */
export function sumarMeses(fecha: string, meses: number): string {
  const primero = alMediodia(`${fecha.slice(0, 8)}01`)
  primero.setUTCMonth(primero.getUTCMonth() + meses)
  const siguiente = new Date(primero)
  siguiente.setUTCMonth(siguiente.getUTCMonth() + 1)
  const ultimo = Number(sumarDias(comoTexto(siguiente), -1).slice(8))
  primero.setUTCDate(Math.min(Number(fecha.slice(8)), ultimo))
  return comoTexto(primero)
}

/** The day's place in its week: 0 is Monday. */
export function diaDeSemana(fecha: string): number {
  return (alMediodia(fecha).getUTCDay() + 6) % 7
}

/** The visible days: whole weeks around the month, or the one week (D-12). */
export function diasVisibles(vista: Vista, fecha: string): string[] {
  const primero = vista === 'mes' ? `${fecha.slice(0, 8)}01` : fecha
  const ultimo = vista === 'mes' ? sumarDias(sumarMeses(primero, 1), -1) : fecha
  const dias = []
  const fin = sumarDias(ultimo, 6 - diaDeSemana(ultimo))
  for (let dia = sumarDias(primero, -diaDeSemana(primero)); dia <= fin; dia = sumarDias(dia, 1)) dias.push(dia)
  return dias
}

/** Days in rows of seven. */
export function semanas(dias: string[]): string[][] {
  return Array.from({ length: dias.length / 7 }, (_, i) => dias.slice(i * 7, i * 7 + 7))
}

/** The moments between which the events of some days lie: from the first midnight up to the one after the last day. */
export function tramoDe(dias: string[]): { desde: Date; hasta: Date } {
  const [primero = '', ultimo = ''] = [dias.at(0), dias.at(-1)]
  const desde = momentoDe(primero, '00:00')
  const hasta = momentoDe(sumarDias(ultimo, 1), '00:00')
  if (!desde || !hasta) throw new RangeError(`no such days: ${primero} ${ultimo}`)
  return { desde, hasta }
}

/** `septiembre de 2027`. */
export function mesLargo(fecha: string): string {
  return `${MESES[Number(fecha.slice(5, 7)) - 1]} de ${fecha.slice(0, 4)}`
}

/** `viernes 5 de septiembre de 2025`. */
export function diaLargo(fecha: string): string {
  return `${DIAS[diaDeSemana(fecha)]} ${Number(fecha.slice(8))} de ${mesLargo(fecha)}`
}

/** Where a key takes the day in focus (APG grid), or null when it takes it nowhere. */
export function trasTecla(tecla: string, fecha: string, vista: Vista): string | null {
  const saltos: Record<string, () => string> = {
    ArrowLeft: () => sumarDias(fecha, -1),
    ArrowRight: () => sumarDias(fecha, 1),
    ArrowUp: () => sumarDias(fecha, -7),
    ArrowDown: () => sumarDias(fecha, 7),
    Home: () => sumarDias(fecha, -diaDeSemana(fecha)),
    End: () => sumarDias(fecha, 6 - diaDeSemana(fecha)),
    PageUp: () => mover(fecha, vista, -1),
    PageDown: () => mover(fecha, vista, 1),
  }
  return saltos[tecla]?.() ?? null
}

/** A month or a week further (D-10). */
export function mover(fecha: string, vista: Vista, paso: 1 | -1): string {
  return vista === 'mes' ? sumarMeses(fecha, paso) : sumarDias(fecha, 7 * paso)
}
