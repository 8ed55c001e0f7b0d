import { enLocal } from './fechas'

/** Opening hours: days of the week (0 is Sunday) and minutes from midnight. */
export type Horario = { dias: readonly number[]; abre: number; cierra: number }

/** Whether the foundation is open at a moment, in its own zone (P-16). */
export function estaAbierto(momento: Date, { dias, abre, cierra }: Horario): boolean {
  const local = enLocal(momento)
  if (!local) return false
  const dia = new Date(`${local.fecha}T12:00:00Z`).getUTCDay()
  const [horas = 0, minutos = 0] = local.hora.split(':').map(Number)
  const ahora = horas * 60 + minutos
  return dias.includes(dia) && ahora >= abre && ahora < cierra
}
