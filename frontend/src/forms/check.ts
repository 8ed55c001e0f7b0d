import * as v from 'valibot'
import { t } from '../i18n/es'
import type { FieldRule, FormDefinition } from './schemas'

/** An e-mail address according to `firestore.rules` and §6 of the plan: text, `@`, text, `.`, text, without blanks. */
const ADDRESS = /^\S+@\S+\.\S+$/

/** The schema of a field. Its value is trimmed, and an e-mail address is converted to lower case. */
function fieldSchema({ kind, required, maxLength }: FieldRule, missing: string): v.GenericSchema<string, string> {
  return v.pipe(
    v.string(missing),
    v.trim(),
    v.transform((text) => (kind === 'text' ? text : text.toLowerCase())),
    v.minLength(required ? 1 : 0, missing),
    v.regex(kind === 'email' ? ADDRESS : /^/, t.errors.email),
    v.maxLength(maxLength, t.errors.long(maxLength)),
  )
}

/** The schema of a form: from its texts to the stored fields. */
export function schemaOf({ fields, missing }: FormDefinition) {
  return v.object(Object.fromEntries(Object.entries(fields).map(([name, rule]) => [name, fieldSchema(rule, missing)])))
}

/** The errors of a form: its message in the plan, and the message of each field. */
export type Fault = { message: string; fields: Record<string, string> }

/** The result of checking a form: the document to store without createdAt, or the errors. */
export type Checked = { document: Record<string, string>; fault: null } | { document: null; fault: Fault }

type Issue = v.BaseIssue<unknown> & { path?: readonly { key: unknown }[] | undefined }

function fieldOf({ path }: Issue): string {
  const key = path?.[0]?.key
  return typeof key === 'string' ? key : ''
}

/**
 * Checks the texts of a form. While required fields are blank, only those are reported (§6).
 * `refused` is the name of a field whose value the browser does not accept as an e-mail address: that counts for an
 * `anyEmail` alone (D-06). Other addresses are checked by the pattern, which accepts more of them.
 */
export function check(definition: FormDefinition, texts: Record<string, string>, refused?: string): Checked {
  const { fields, constants } = definition
  const result = v.safeParse(schemaOf(definition), texts)
  const issues: readonly Issue[] = result.issues ?? []
  const missing = issues.filter(({ type }) => type === 'min_length' || type === 'string')
  const [first] = missing
  if (first) {
    const alone = Object.keys(fields).length === 1
    return fault(
      first.message,
      missing.map((issue) => [fieldOf(issue), alone ? first.message : t.errors.emptyField]),
    )
  }
  if (refused && fields[refused]?.kind === 'anyEmail') return fault(t.errors.email, [[refused, t.errors.email]])
  if (result.success) return { document: { ...result.output, ...constants }, fault: null }
  return fault(
    result.issues[0].message,
    issues.map((issue) => [fieldOf(issue), issue.message]),
  )
}

/** An error: of a field with several, the first. */
function fault(message: string, complaints: readonly (readonly [string, string])[]): Checked {
  return { document: null, fault: { message, fields: Object.fromEntries(complaints.toReversed()) } }
}
