/** The page that stays under a modal with an address of its own: what the history entry's state holds. */
type EstadoDeFondo = { fondo: string }

/** The state of an entry that opens over a page. */
export function sobre(fondo: string): EstadoDeFondo {
  return { fondo }
}

/** The page under the modal, from the state of a history entry. */
export function fondoDe(estado: unknown): string | null {
  if (typeof estado !== 'object' || estado === null || !('fondo' in estado)) return null
  return typeof estado.fondo === 'string' ? estado.fondo : null
}
