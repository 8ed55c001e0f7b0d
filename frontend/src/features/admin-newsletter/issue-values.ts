import * as v from 'valibot'
import { checkForm, filled } from '../../admin/form-check'
import type { Issue } from '../../firebase/newsletter'
import { es } from '../../i18n/es-admin'

/** The maximum lengths of subject and text, in characters. The back office has the same limits (server/backoffice/newsletter.go). */
export const LIMITS = { subject: 150, text: 20_000 } as const

const text = filled(es.newsletter.incomplete)

/** An issue of the newsletter, with its limits and error messages. */
const issueSchema = v.object({
  subject: v.pipe(text, v.maxLength(LIMITS.subject, es.long(LIMITS.subject))),
  text: v.pipe(text, v.maxLength(LIMITS.text, es.long(LIMITS.text))),
})

/** Checks the subject and the text of an issue. */
export const checkIssue = (texts: Issue) => checkForm<keyof Issue, Issue>(issueSchema, texts)
