import * as v from 'valibot'

/** The result of checking a form: its values, or a message and the name of the first invalid field. */
export type Checked<Output, Name extends string> = { ok: true; values: Output } | { ok: false; message: string; field: Name }

/**
 * Checks the texts of a form against its schema. Blank fields come before invalid ones, in the schema's order. A blank
 * field is one that its schema refuses by `minLength(1)`.
 */
export function checkForm<Name extends string, Output>(
  schema: v.GenericSchema<Record<Name, string>, Output>,
  texts: Readonly<Record<Name, string>>,
): Checked<Output, Name> {
  const result = v.safeParse(schema, texts)
  if (result.success) return { ok: true, values: result.output }
  const [first] = result.issues
  const { message, path } = result.issues.find(({ type, requirement }) => type === 'min_length' && requirement === 1) ?? first
  const key = path?.[0]?.key
  if (!isNameIn(texts, key)) throw new Error(`the schema refuses no field: ${message}`)
  return { ok: false, message, field: key }
}

const isNameIn = <Name extends string>(texts: Readonly<Record<Name, string>>, key: unknown): key is Name =>
  typeof key === 'string' && Object.hasOwn(texts, key)

/** A text that must not be blank. */
export const filled = (missing: string) => v.pipe(v.string(), v.trim(), v.minLength(1, missing))
