/** What a history entry's state holds when a modal with an address of its own lies over a page. */
type EstadoDeFondo = { fondo: string; evento: string }

/** The state of an entry that opens an event over a page. */
export function sobre(fondo: string, evento: string): EstadoDeFondo {
  return { fondo, evento }
}

function texto(estado: unknown, clave: keyof EstadoDeFondo): string | null {
  if (typeof estado !== 'object' || estado === null) return null
  const valor: unknown = Object.getOwnPropertyDescriptor(estado, clave)?.value
  return typeof valor === 'string' ? valor : null
}

/** The page under the modal. */
export const fondoDe = (estado: unknown): string | null => texto(estado, 'fondo')

/** The event in the modal. */
export const eventoDe = (estado: unknown): string | null => texto(estado, 'evento')
