import { type FocusEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { useALaVista, usePocoMovimiento } from '../../lib/use-movimiento'

/** How long an image stays (F-101). */
const TURNO_MS = 5000
/** How long it stays at least once the page is alive. */
const MINIMO_MS = 1500
/** How far a finger moves before it means "another image". */
const GESTO_PX = 40

/** The index `paso` images further in a ring of `total` (F-101: 6→1 and 1→6). */
export function vuelta(indice: number, paso: number, total: number): number {
  return (indice + paso + total) % total
}

/**
 * A carousel's state: which image, and whether it moves by itself. It rests while paused, hovered, focused by keyboard,
 * out of sight, or when the visitor wants less motion; who presses «Reanudar» means it, and overrules hover and focus.
 */
export function useCarrusel(total: number) {
  const [indice, setIndice] = useState(0)
  const [eleccion, setEleccion] = useState<'auto' | 'pausa' | 'marcha'>('auto')
  const [atento, setAtento] = useState(false)
  const pocoMovimiento = usePocoMovimiento()
  const aLaVista = useALaVista()
  const desde = useRef<number | null>(null)
  const pausado = eleccion === 'pausa' || (eleccion === 'auto' && pocoMovimiento)
  const anda = !pausado && aLaVista && (!atento || eleccion === 'marcha')
  const intacto = useRef(true)
  const ir = (destino: number) => {
    intacto.current = false
    setIndice(vuelta(destino, 0, total))
  }

  useEffect(() => {
    if (!anda) return
    // The first image has been in sight since the page began, however late the page came alive.
    const vista = intacto.current && performance.now() < TURNO_MS ? performance.now() : 0
    // Keyed by the index too: an image chosen by hand stays its whole turn.
    const reloj = setTimeout(() => setIndice(vuelta(indice, 1, total)), Math.max(TURNO_MS - vista, MINIMO_MS))
    return () => clearTimeout(reloj)
  }, [anda, indice, total])

  const soltar = () => {
    setAtento(false)
    setEleccion((antes) => (antes === 'marcha' && !pocoMovimiento ? 'auto' : antes))
  }
  return {
    indice,
    pausado,
    ir,
    alternar: () => setEleccion(pausado ? 'marcha' : 'pausa'),
    vigilancia: {
      // Of every part of it: a pointer that was there before the page came alive never enters.
      onPointerOver: (suceso: PointerEvent) => setAtento(suceso.pointerType === 'mouse'),
      onPointerLeave: soltar,
      onFocus: (suceso: FocusEvent) => setAtento(suceso.target.matches(':focus-visible')),
      onBlur: soltar,
    },
    gesto: {
      onPointerDown: (suceso: PointerEvent) => {
        desde.current = suceso.clientX
      },
      onPointerUp: (suceso: PointerEvent) => {
        const recorrido = suceso.clientX - (desde.current ?? suceso.clientX)
        desde.current = null
        if (Math.abs(recorrido) > GESTO_PX) ir(indice + (recorrido < 0 ? 1 : -1))
      },
    },
  }
}
