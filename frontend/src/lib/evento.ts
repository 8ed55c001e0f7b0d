import { RAYA } from './fechas'

/** An event as visitors see it. */
export type Evento = {
  id: string
  titulo: string
  descripcion: string
  lugar: string
  artista: string
  precio: number | null
  imagen: string | null
  /** The moment by which events are ordered and put on their day. */
  momento: Date | null
  /** What is shown, D-08: `05 SEP 2025`, `19:30`, or a dash. */
  fecha: string
  hora: string
}

/** The line of an event's date and time: `05 SEP 2025 • 19:30` (D-08). */
export function cuando({ fecha, hora }: Pick<Evento, 'fecha' | 'hora'>): string {
  if (fecha === RAYA) return RAYA
  return hora === RAYA ? fecha : `${fecha} • ${hora}`
}
