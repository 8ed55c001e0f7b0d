import { useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { diasVisibles, esDia, mover, trasTecla, type Vista } from '../../lib/cuadricula'
import { hoy } from '../../lib/fechas'

/** What the address says of the calendar. */
type Lugar = { vista: Vista; fecha: string; dia: string | null }

function leer(consulta: URLSearchParams): Lugar {
  const fecha = consulta.get('fecha') ?? ''
  const dia = consulta.get('dia') ?? ''
  return {
    vista: consulta.get('vista') === 'semana' ? 'semana' : 'mes',
    fecha: esDia(fecha) ? fecha : hoy(),
    dia: esDia(dia) ? dia : null,
  }
}

function escribir({ vista, fecha, dia }: Lugar): URLSearchParams {
  return new URLSearchParams({ vista, fecha, ...(dia ? { dia } : {}) })
}

/** The calendar's state, kept in the address: view, date and selected day; and the day that the keyboard is on. */
export function useCalendario() {
  const [consulta, setConsulta] = useSearchParams()
  const lugar = leer(consulta)
  const [foco, setFoco] = useState(lugar.dia ?? lugar.fecha)
  // The day that a key has asked for: only keys move the focus of the page, a click has put it where it belongs.
  const pedido = useRef<string | null>(null)
  const dias = diasVisibles(lugar.vista, lugar.fecha)

  const cambiar = (cambio: Partial<Lugar>) => {
    const nuevo = { ...lugar, ...cambio }
    // A selection that is out of sight is dropped.
    const aLaVista = nuevo.dia !== null && diasVisibles(nuevo.vista, nuevo.fecha).includes(nuevo.dia)
    setConsulta(escribir({ ...nuevo, dia: aLaVista ? nuevo.dia : null }), { replace: true, preventScrollReset: true })
  }
  const irA = (fecha: string) => {
    setFoco(fecha)
    cambiar({ fecha })
  }
  return {
    ...lugar,
    dias,
    foco: dias.includes(foco) ? foco : (dias[0] ?? lugar.fecha),
    /** Whether a day is the one that a key asked for; asking settles it. */
    reclamar: (dia: string): boolean => {
      if (pedido.current !== dia) return false
      pedido.current = null
      return true
    },
    irAHoy: () => irA(hoy()),
    avanzar: (paso: 1 | -1) => irA(mover(lugar.fecha, lugar.vista, paso)),
    verComo: (vista: Vista) => cambiar({ vista, fecha: vista === 'semana' ? (lugar.dia ?? lugar.fecha) : lugar.fecha }),
    elegir: (dia: string) => {
      setFoco(dia)
      cambiar({ dia: lugar.dia === dia ? null : dia })
    },
    /** Answers whether the key was the calendar's. */
    teclear: (tecla: string): boolean => {
      const destino = trasTecla(tecla, foco, lugar.vista)
      if (!destino) return false
      pedido.current = destino
      setFoco(destino)
      if (!dias.includes(destino) || tecla.startsWith('Page')) cambiar({ fecha: destino })
      return true
    },
  }
}

/** The calendar as its parts use it. */
export type Calendario = ReturnType<typeof useCalendario>
