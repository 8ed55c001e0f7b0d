import { useEffect, useState } from 'react'
import type { Evento } from './evento'

/** The module of live events, which brings Firestore with it. */
type EnVivo = typeof import('../firebase/eventos')

/** Where a live list is. `confirmado` is false while it comes from the cache alone. */
export type EstadoEventos = { fase: 'cargando' } | { fase: 'error' } | { fase: 'datos'; eventos: Evento[]; confirmado: boolean }

/** How to listen: given the module and what to tell, answers how to stop. */
export type Escucha = (
  enVivo: EnVivo,
  oyente: { alRecibir: (eventos: Evento[], confirmado: boolean) => void; alFallar: (error: Error) => void },
) => () => void

const CARGANDO: EstadoEventos = { fase: 'cargando' }

/** Waits until the page has been painted and the browser has nothing better to do. */
function trasPintar(hacer: () => void): () => void {
  if (typeof requestIdleCallback !== 'function') {
    const reloj = setTimeout(hacer, 200)
    return () => clearTimeout(reloj)
  }
  const turno = requestIdleCallback(hacer, { timeout: 2500 })
  return () => cancelIdleCallback(turno)
}

/** Events, live, from the first quiet moment after painting. `clave` names what is listened to: another one starts anew. */
export function useEventos(clave: string, escuchar: Escucha): EstadoEventos {
  const [recibido, setRecibido] = useState<{ clave: string; estado: EstadoEventos }>({ clave, estado: CARGANDO })
  useEffect(() => {
    let parar = () => undefined as void
    let vivo = true
    const poner = (estado: EstadoEventos) => {
      if (vivo) setRecibido({ clave, estado })
    }
    const alFallar = (error: unknown) => {
      console.error(error)
      poner({ fase: 'error' })
    }
    const alRecibir = (eventos: Evento[], confirmado: boolean) => poner({ fase: 'datos', eventos, confirmado })
    const olvidar = trasPintar(() => {
      import('../firebase/eventos').then((enVivo) => {
        if (vivo) parar = escuchar(enVivo, { alRecibir, alFallar })
      }, alFallar)
    })
    return () => {
      vivo = false
      olvidar()
      parar()
    }
    // The listener is named by its key.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [clave])
  return recibido.clave === clave ? recibido.estado : CARGANDO
}
