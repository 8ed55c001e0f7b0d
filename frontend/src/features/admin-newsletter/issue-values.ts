import * as v from 'valibot'
import { es } from '../../i18n/es-admin'

/** The longest subject and text, in characters; the back office has the same limits (server/backoffice/newsletter.go). */
export const LIMITS = { subject: 150, text: 20_000 } as const

const filled = v.pipe(v.string(), v.trim(), v.minLength(1, es.newsletter.incomplete))

/** An issue of the newsletter as an administrator composes it. */
export const issueSchema = v.object({
  subject: v.pipe(filled, v.maxLength(LIMITS.subject, es.newsletter.long(LIMITS.subject))),
  text: v.pipe(filled, v.maxLength(LIMITS.text, es.newsletter.long(LIMITS.text))),
})

export type Issue = v.InferOutput<typeof issueSchema>
