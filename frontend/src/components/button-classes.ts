/** The emphasis of a button. A view has at most one primary action. */
export type Weight = 'primario' | 'secundario'

/** The classes of a button or of a link that looks like one. */
export function buttonClasses(weight: Weight = 'secundario'): string {
  return weight === 'secundario' ? 'boton' : `boton boton-${weight}`
}
