import { useEffect, useState } from 'react'
import type { Evento } from './evento'
import { type Momento, trasPintar } from './momento'

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

/** Events, live, from a quiet moment on. `clave` names what is listened to: another one starts anew. */
export function useEventos(clave: string, escuchar: Escucha, momento: Momento = trasPintar): EstadoEventos {
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
    const olvidar = momento(() => {
      // Listening itself may refuse at once, such as what is no name of a document.
      import('../firebase/eventos')
        .then((enVivo) => {
          if (vivo) parar = escuchar(enVivo, { alRecibir, alFallar })
        })
        .catch(alFallar)
    })
    return () => {
      vivo = false
      olvidar()
      parar()
    }
    // The listener is named by its key.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [clave, momento])
  return recibido.clave === clave ? recibido.estado : CARGANDO
}
