import { useId } from 'react'
import type { Estado } from '../lib/formulario'

type Props = {
  nombre: string
  etiqueta: string
  estado: Estado
  idMensaje: string
  tipo?: 'text' | 'email' | 'tel'
  requerido?: boolean
  largo?: number
  autoComplete?: string
  /** A tall field for more than a line. */
  parrafo?: boolean
  inicial?: string
}

/** A field with its label always in sight; a wrong one points to the message. */
export function Campo({
  nombre,
  etiqueta,
  estado,
  idMensaje,
  tipo = 'text',
  requerido = false,
  largo,
  autoComplete,
  parrafo,
  inicial,
}: Props) {
  const id = useId()
  const malo = estado.fase === 'error' && estado.campo === nombre
  const comunes = {
    id,
    name: nombre,
    required: requerido,
    maxLength: largo,
    autoComplete,
    defaultValue: inicial,
    className: 'campo',
    'aria-invalid': malo || undefined,
    'aria-describedby': malo ? idMensaje : undefined,
  }
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-semibold">
        {etiqueta}
      </label>
      {parrafo ? <textarea rows={5} {...comunes} /> : <input type={tipo} {...comunes} />}
    </div>
  )
}
