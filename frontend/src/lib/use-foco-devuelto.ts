import { type RefObject, useEffect, useRef } from 'react'

/**
 * A button that is disabled while it is busy loses the focus, and a press meanwhile gives it to what lies around the button.
 * Whoever waits gets it back when the work is done, unless the focus has gone elsewhere by then.
 */
export function useFocoDevuelto(ocupado: boolean): RefObject<HTMLButtonElement | null> {
  const nodo = useRef<HTMLButtonElement>(null)
  const antes = useRef(ocupado)
  useEffect(() => {
    const termino = antes.current && !ocupado
    antes.current = ocupado
    if (termino && document.activeElement?.contains(nodo.current)) nodo.current?.focus({ preventScroll: true })
  }, [ocupado])
  return nodo
}
