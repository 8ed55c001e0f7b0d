import { useEffect, useState } from 'react'
import { sitio } from '../../content/sitio'
import { tContacto } from '../../i18n/es-contacto'
import { estaAbierto } from '../../lib/horario'
import { useHidratado } from '../../lib/use-hidratado'

/** Whether the foundation is open right now, looked at again every minute (P-16). */
export function Abierto() {
  const hidratado = useHidratado()
  const [ahora, setAhora] = useState(() => new Date())
  useEffect(() => {
    const reloj = setInterval(() => setAhora(new Date()), 60_000)
    return () => clearInterval(reloj)
  }, [])
  const abierto = hidratado && estaAbierto(ahora, sitio.horario)
  return (
    <p className="mt-1 min-h-7 font-semibold">
      {hidratado ? <span className={abierto ? 'text-exito' : 'text-acento'}>{abierto ? tContacto.abierto : tContacto.cerrado}</span> : null}
    </p>
  )
}
