import * as v from 'valibot'
import { filled } from '../../admin/form-check'
import { es } from '../../i18n/es-admin'

/**
 * The minimum length of a password and the maximum lengths of texts, in characters. The back office has the same limits
 * (server/backoffice).
 */
export const LIMITS = { password: 6, name: 120, email: 254 } as const

const { emptyFields } = es.access
const isAddress = v.regex<string, string>(/^\S+@\S+$/, es.errors['invalid-email'])
const isLong = v.minLength<string, number, string>(LIMITS.password, es.errors['weak-password'])
const name = v.pipe(filled(emptyFields), v.maxLength(LIMITS.name, es.long(LIMITS.name)))

/** Sign-in (D-22): the checks before a request to the server. */
export const signInSchema = v.object({ email: v.pipe(v.string(), v.trim(), isAddress), password: v.pipe(v.string(), isLong) })

/** A request for a new password. */
export const recoverSchema = v.object({ email: v.pipe(v.string(), v.trim(), isAddress) })

/** Sign-up (F-302). */
export const signUpSchema = v.object({
  firstName: name,
  lastName: name,
  email: v.pipe(filled(emptyFields), isAddress, v.maxLength(LIMITS.email, es.long(LIMITS.email))),
  password: v.pipe(v.string(), v.minLength(1, emptyFields), isLong),
})
