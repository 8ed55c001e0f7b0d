/** An address as the forms send it: without blanks around it, in small letters. */
export function normalizarCorreo(texto: string): string {
  return texto.trim().toLowerCase()
}

/** Pattern S of the brief (§6): x@y.z without blanks. */
export function esCorreo(texto: string): boolean {
  return /^\S+@\S+\.\S+$/.test(texto.trim())
}
