const pesos = new Intl.NumberFormat('es-DO', { style: 'currency', currency: 'DOP' })

/** A price as visitors read it (D-09): «Gratis» for nothing, pesos otherwise; null when it is not a number. */
export function precioPublico(precio: unknown): string | null {
  if (typeof precio !== 'number' || !Number.isFinite(precio)) return null
  return precio === 0 ? 'Gratis' : pesos.format(precio)
}

/** A price as the panel shows it (D-09): always two decimals, a dash when there is none. */
export function precioPanel(precio: unknown): string {
  return typeof precio === 'number' && Number.isFinite(precio) ? pesos.format(precio) : '—'
}
