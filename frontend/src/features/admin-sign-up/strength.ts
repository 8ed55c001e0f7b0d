import { es } from '../../i18n/es-admin'

/** How strong a password is (F-306…F-308). */
export type Strength = { score: number; label: string; percent: number; missing: readonly string[] }

const upper = /\p{Lu}/u
const lower = /\p{Ll}/u
const digit = /\p{Nd}/u
const symbol = /[^\p{L}\p{Nd}\s]/u

/** Five points: 6 and 10 characters, capital and small letters, a digit, a symbol. */
export function strengthOf(password: string): Strength {
  const { fuerzas, sugerencias } = es.acceso
  const points = [
    password.length >= 6,
    password.length >= 10,
    upper.test(password) && lower.test(password),
    digit.test(password),
    symbol.test(password),
  ]
  const score = points.filter(Boolean).length
  const missing = [
    ...(password.length >= 6 ? [] : [sugerencias.largo]),
    ...(upper.test(password) ? [] : [sugerencias.mayuscula]),
    ...(lower.test(password) ? [] : [sugerencias.minuscula]),
    ...(digit.test(password) ? [] : [sugerencias.numero]),
    ...(symbol.test(password) ? [] : [sugerencias.simbolo]),
  ]
  if (score <= 1) return { score, label: fuerzas.muyDebil, percent: 20, missing }
  if (score === 2) return { score, label: fuerzas.debil, percent: 40, missing }
  if (score === 3) return { score, label: fuerzas.buena, percent: 70, missing }
  return { score, label: fuerzas.fuerte, percent: 100, missing }
}
