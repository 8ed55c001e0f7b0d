import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { t } from '../i18n/es'
import type { Estado } from '../lib/formulario'
import { TRAMPA } from '../lib/robots'
import { useFocoDevuelto } from '../lib/use-foco-devuelto'
import { useHidratado } from '../lib/use-hidratado'
import { boton } from './boton'

/** The submit button: never before the page is alive (F-810), busy while sending (F-600). */
export function BotonEnviar({ estado, texto, className = '' }: { estado: Estado; texto: string; className?: string }) {
  const hidratado = useHidratado()
  const enviando = estado.fase === 'enviando'
  const nodo = useFocoDevuelto(enviando)
  return (
    <button ref={nodo} type="submit" disabled={!hidratado || enviando} className={`${boton('primario')} ${className}`}>
      {enviando ? t.comun.enviando : texto}
    </button>
  )
}

/** What became of the form: an alert or a status, gone on the next try. */
export function Resultado({ estado, id, children }: { estado: Estado; id: string; children: ReactNode }) {
  if (estado.fase === 'error') {
    return (
      <p id={id} role="alert" className="aviso aviso-error">
        {estado.mensaje}
      </p>
    )
  }
  if (estado.fase !== 'exito') return null
  return (
    <div id={id} role="status" className="aviso aviso-exito">
      {children}
    </div>
  )
}

/** A field that people neither see nor hear nor reach; only robots fill it (P-13). */
export function Trampa() {
  return (
    <div className="sr-only" aria-hidden="true">
      <label>
        {t.comun.noLlenar}
        <input type="text" name={TRAMPA} tabIndex={-1} autoComplete="off" />
      </label>
    </div>
  )
}

/** What becomes of the data, by each form (P-14). */
export function NotaDatos({ texto }: { texto: string }) {
  return (
    <p className="text-suave text-sm">
      {texto}{' '}
      <Link to="/privacidad" className="enlace">
        {t.pie.privacidad}
      </Link>
    </p>
  )
}
