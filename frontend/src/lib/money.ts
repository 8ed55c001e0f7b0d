const pesos = new Intl.NumberFormat('es-DO', { style: 'currency', currency: 'DOP' })

/** A price for visitors (D-09): «Gratis» for zero, otherwise pesos; null if it is not a number. */
export function publicPrice(price: unknown): string | null {
  if (typeof price !== 'number' || !Number.isFinite(price)) return null
  return price === 0 ? 'Gratis' : pesos.format(price)
}

/** A price for the panel (D-09): always two decimals; a dash if there is none. */
export function panelPrice(price: unknown): string {
  return typeof price === 'number' && Number.isFinite(price) ? pesos.format(price) : '—'
}
