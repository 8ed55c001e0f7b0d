import { useSyncExternalStore } from 'react'

const PAPEL = 'print'

/** Whether a print is under way, for browsers whose media query only tells afterwards. */
let imprimiendo = false

function vigilar(alCambiar: () => void): () => void {
  const empezar = () => {
    imprimiendo = true
    alCambiar()
  }
  const acabar = () => {
    imprimiendo = false
    alCambiar()
  }
  const medio = matchMedia(PAPEL)
  medio.addEventListener('change', alCambiar)
  addEventListener('beforeprint', empezar)
  addEventListener('afterprint', acabar)
  return () => {
    medio.removeEventListener('change', alCambiar)
    removeEventListener('beforeprint', empezar)
    removeEventListener('afterprint', acabar)
  }
}

/** Whether the page is being put on paper (P-18): what only paper shows is not in the page otherwise. */
export function useImpresion(): boolean {
  return useSyncExternalStore(
    vigilar,
    () => imprimiendo || matchMedia(PAPEL).matches,
    () => false,
  )
}
