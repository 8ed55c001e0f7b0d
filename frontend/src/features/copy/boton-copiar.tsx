import { useEffect, useState } from 'react'
import { boton } from '../../components/boton'
import { donar } from '../../content/donar'

/** How long the button says that it copied (F-701). */
const CONFIRMACION_MS = 1500

/** Copies a value; a clipboard that refuses is ignored, the value stays selectable (F-173). */
export function BotonCopiar({ nombre, valor }: { nombre: string; valor: string }) {
  const { copiar, copiado } = donar.transferencia
  const [veces, setVeces] = useState(0)

  useEffect(() => {
    if (veces === 0) return
    const reloj = setTimeout(() => setVeces(0), CONFIRMACION_MS)
    return () => clearTimeout(reloj)
  }, [veces])

  const copiarValor = async () => {
    try {
      await navigator.clipboard.writeText(valor)
      setVeces((n) => n + 1)
    } catch {
      setVeces(0)
    }
  }
  const texto = veces > 0 ? copiado : copiar
  return (
    <button type="button" className={`${boton('secundario')} no-imprimir`} aria-label={`${texto} ${nombre}`} onClick={copiarValor}>
      <span aria-live="polite">{texto}</span>
    </button>
  )
}
