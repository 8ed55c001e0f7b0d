import * as v from 'valibot'
import { t } from '../i18n/es'
import type { FieldRule, FormDefinition } from './schemas'

/** An address as `firestore.rules` and §6 of the plan require it: text, `@`, text, `.`, text, without blanks. */
const ADDRESS = /^\S+@\S+\.\S+$/

/** The schema of a field: what it holds is trimmed, and an address is kept in small letters. */
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

/** The schema of a form: its texts in, what is stored of them out. */
export function schemaOf({ fields, missing }: FormDefinition) {
  return v.object(Object.fromEntries(Object.entries(fields).map(([name, rule]) => [name, fieldSchema(rule, missing)])))
}

/** What is wrong with a form: the message that the plan fixes for it, and what is said at each field. */
export type Fault = { message: string; fields: Record<string, string> }

/** What a form's check answers: the document to store but for its createdAt, or what is wrong. */
export type Checked = { document: Record<string, string>; fault: null } | { document: null; fault: Fault }

type Issue = v.BaseIssue<unknown> & { path?: readonly { key: unknown }[] | undefined }

function fieldOf({ path }: Issue): string {
  const key = path?.[0]?.key
  return typeof key === 'string' ? key : ''
}

/**
 * Checks the texts of a form. Missing fields come before wrong ones (§6): while any is missing, only those are reported.
 * `refused` names a field that the browser itself takes for no address (D-06).
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
  if (refused) return fault(t.errors.email, [[refused, t.errors.email]])
  if (result.success) return { document: { ...result.output, ...constants }, fault: null }
  return fault(
    result.issues[0].message,
    issues.map((issue) => [fieldOf(issue), issue.message]),
  )
}

/** An error; of a field with several, the first. */
function fault(message: string, complaints: readonly (readonly [string, string])[]): Checked {
  return { document: null, fault: { message, fields: Object.fromEntries(complaints.toReversed()) } }
}
