import { t } from '../i18n/es'
import { esCorreo, normalizarCorreo } from './correo'
import type { Campos, Fallo } from './formulario'

/** The first of the fields that is blank, as the fault to tell. */
function blanco(campos: Campos, nombres: string[], mensaje: string): Fallo | null {
  const campo = nombres.find((nombre) => !campos[nombre]?.trim())
  return campo ? { campo, mensaje } : null
}

/** An address that is not of pattern S (§6). */
function correoMalo(campos: Campos): Fallo | null {
  return esCorreo(campos['email'] ?? '') ? null : { campo: 'email', mensaje: t.errores.correo }
}

/** Newsletter, F-500. */
export function validarBoletin(campos: Campos): Fallo | null {
  return correoMalo(campos)
}

/** Contact, F-501: what the browser takes for an address is one (D-06). */
export function validarContacto(campos: Campos, correoMalFormado: boolean): Fallo | null {
  const falta = blanco(campos, ['name', 'email', 'subject', 'message'], t.errores.contactoIncompleto)
  return falta ?? (correoMalFormado ? { campo: 'email', mensaje: t.errores.correo } : null)
}

/** Volunteers, F-502. */
export function validarVoluntario(campos: Campos): Fallo | null {
  return blanco(campos, ['fullName', 'email', 'phone'], t.errores.voluntarioIncompleto) ?? correoMalo(campos)
}

/** Instruments, F-503. */
export function validarInstrumento(campos: Campos): Fallo | null {
  return blanco(campos, ['fullName', 'email', 'message'], t.errores.instrumentoIncompleto) ?? correoMalo(campos)
}

/** A field as it is stored: nothing around it. */
export const texto = (campos: Campos, nombre: string): string => (campos[nombre] ?? '').trim()

/** The address as it is stored. */
export const correo = (campos: Campos): string => normalizarCorreo(campos['email'] ?? '')
