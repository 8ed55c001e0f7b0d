/** How loud a button is: one primary action a view. */
export type Peso = 'primario' | 'secundario' | 'discreto'

/** The classes of a button or of a link that looks like one. */
export function boton(peso: Peso = 'secundario'): string {
  return peso === 'secundario' ? 'boton' : `boton boton-${peso}`
}
