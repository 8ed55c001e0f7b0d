import * as v from 'valibot'
import { t } from '../i18n/es'
import type { FormDefinition } from './schemas'

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
 * Checks the texts of a form. Missing fields come before wrong ones (§6): while any is missing, only those are told.
 * `refused` names a field that the browser itself takes for no address (D-06).
 */
export function check({ fields, constants }: FormDefinition, texts: Record<string, string>, refused?: string): Checked {
  const result = v.safeParse(fields, texts)
  const issues: readonly Issue[] = result.issues ?? []
  const missing = issues.filter(({ type }) => type === 'non_empty' || type === 'string')
  const [first] = missing
  if (first) {
    const alone = Object.keys(fields.entries).length === 1
    return fault(
      first.message,
      missing.map((issue) => [fieldOf(issue), alone ? first.message : t.errores.campoVacio]),
    )
  }
  if (refused) return fault(t.errores.correo, [[refused, t.errores.correo]])
  if (result.success) return { document: { ...result.output, ...constants }, fault: null }
  return fault(
    result.issues[0].message,
    issues.map((issue) => [fieldOf(issue), issue.message]),
  )
}

/** A fault; of a field with several complaints the first is told. */
function fault(message: string, complaints: readonly (readonly [string, string])[]): Checked {
  return { document: null, fault: { message, fields: Object.fromEntries(complaints.toReversed()) } }
}

/** What a field's schema says of it: whether it must be filled, and how many characters it may have. */
export function limitsOf({ fields }: FormDefinition, name: string): { required: boolean; maxLength: number | undefined } {
  const entry = fields.entries[name]
  const pipe: unknown = entry && 'pipe' in entry ? entry.pipe : []
  const steps: { type: string; requirement?: unknown }[] = Array.isArray(pipe) ? pipe : []
  const most = steps.find(({ type }) => type === 'max_length')?.requirement
  return { required: steps.some(({ type }) => type === 'non_empty'), maxLength: typeof most === 'number' ? most : undefined }
}
