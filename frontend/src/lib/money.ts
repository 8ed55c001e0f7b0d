const pesos = new Intl.NumberFormat('es-DO', { style: 'currency', currency: 'DOP' })

/** A price as visitors read it (D-09): «Gratis» for nothing, pesos otherwise; null when it is not a number. */
export function publicPrice(price: unknown): string | null {
  if (typeof price !== 'number' || !Number.isFinite(price)) return null
  return price === 0 ? 'Gratis' : pesos.format(price)
}

/** A price as the panel shows it (D-09): always two decimals, a dash when there is none. */
export function panelPrice(price: unknown): string {
  return typeof price === 'number' && Number.isFinite(price) ? pesos.format(price) : '—'
}
