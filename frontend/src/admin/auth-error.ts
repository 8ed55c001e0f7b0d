import { es } from '../i18n/es-admin'

/** Firebase's name of an error, without `auth/`; empty if it has none. */
export function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : ''
  return typeof code === 'string' ? code.replace(/^auth\//, '') : ''
}

/** The visible message for an error (§7.2). */
export function messageOf(error: unknown): string {
  const code = codeOf(error)
  return isKnown(code) ? es.errors[code] : es.errors.other
}

function isKnown(code: string): code is keyof typeof es.errors {
  return Object.hasOwn(es.errors, code)
}
