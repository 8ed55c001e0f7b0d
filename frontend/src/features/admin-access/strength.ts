import { es } from '../../i18n/es-admin'

/** The strength of a password (F-306…F-308). */
export type Strength = { score: number; label: string; percent: number; missing: readonly string[] }

const upper = /\p{Lu}/u
const lower = /\p{Ll}/u
const digit = /\p{Nd}/u
const symbol = /[^\p{L}\p{Nd}\s]/u

/** Five points: 6 characters, 10 characters, upper and lower case, a digit, a symbol. */
export function strengthOf(password: string): Strength {
  const { strengths, suggestions } = es.access
  const points = [
    password.length >= 6,
    password.length >= 10,
    upper.test(password) && lower.test(password),
    digit.test(password),
    symbol.test(password),
  ]
  const score = points.filter(Boolean).length
  const missing = [
    ...(password.length >= 6 ? [] : [suggestions.long]),
    ...(upper.test(password) ? [] : [suggestions.uppercase]),
    ...(lower.test(password) ? [] : [suggestions.lowercase]),
    ...(digit.test(password) ? [] : [suggestions.number]),
    ...(symbol.test(password) ? [] : [suggestions.symbol]),
  ]
  // Nothing is rated before a letter is typed.
  if (password === '') return { score, label: '', percent: 0, missing }
  if (score <= 1) return { score, label: strengths.veryWeak, percent: 20, missing }
  if (score === 2) return { score, label: strengths.weak, percent: 40, missing }
  if (score === 3) return { score, label: strengths.good, percent: 70, missing }
  return { score, label: strengths.strong, percent: 100, missing }
}
