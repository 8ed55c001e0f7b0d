import * as v from 'valibot'
import type { Doc } from '../api/firestore'
import { type Change, changesOf, type FieldPath, merged, same, samePath, valueAt, type ValuePath, withValue } from './changes'
import { type Fields, fieldsFromWire, fieldsToWire, type Value, WireFields } from './value'

/** What a user has made of a document, and the version of the document that it is compared with. */
export type Draft = {
  base: Doc
  fields: Fields
  /** Where both the user and another client changed a value. The base has theirs, and fields have the user's. */
  conflicts: readonly FieldPath[]
  /** Set when the document was deleted elsewhere. */
  gone: boolean
  /** The text of the document as JSON while it is not valid; null otherwise. */
  json: string | null
  /** Texts that are no values of their type, by the path of their value as JSON. */
  texts: Readonly<Record<string, string>>
  /** A newer version of the document, which is merged once the JSON is valid. */
  newer: Doc | null
  /** Counts replacements of the whole draft, after which nothing typed into the controls is kept. */
  version: number
}

/** An unchanged document. */
export const unchanged = (base: Doc, version = 0): Draft => ({
  base,
  fields: base.fields,
  conflicts: [],
  gone: false,
  json: null,
  texts: {},
  newer: null,
  version,
})

/** The differences of a draft from its document. */
export const changesIn = ({ base, fields }: Draft): Change[] => changesOf(base.fields, fields)

/** Reports whether a draft has to be kept even without a change: of a deleted document, or with texts that are no values. */
export const isUnfinished = ({ gone, json, texts }: Draft): boolean => gone || json !== null || Object.keys(texts).length > 0

/** Reports whether a draft has something that the document has not. */
export const isDirty = (draft: Draft): boolean => isUnfinished(draft) || changesIn(draft).length > 0

/** The conflicts that are left, with both values. */
export function conflictsIn({ base, fields, conflicts }: Draft): { path: FieldPath; mine: Value | undefined; theirs: Value | undefined }[] {
  return conflicts
    .map((path) => ({ path, mine: valueAt(fields, path), theirs: valueAt(base.fields, path) }))
    .filter(({ mine, theirs }) => !same(mine, theirs))
}

/** A draft after the document was loaded: null if there is neither a document nor a change. */
export function received(draft: Draft | null, doc: Doc | null): Draft | null {
  if (doc === null) return draft && isDirty(draft) ? { ...draft, gone: true, newer: null } : null
  if (draft === null) return unchanged(doc)
  if (doc.updateTime === draft.base.updateTime && !draft.gone) return draft
  if (!isDirty(draft)) return unchanged(doc, draft.version)
  // The text of invalid JSON begins with the old version, so it cannot be compared with another one.
  if (draft.json !== null) return { ...draft, gone: false, newer: doc }
  return rebased(draft, doc)
}

function rebased(draft: Draft, doc: Doc): Draft {
  const { fields, conflicts } = merged(draft.base.fields, draft.fields, doc.fields)
  const older = conflictsIn(draft).map(({ path }) => path)
  const left = older.filter((path) => !conflicts.some((other) => samePath(other, path)))
  // The texts of a geographical point are below its path.
  const kept = (path: ValuePath): boolean => {
    const of = valueAt(draft.fields, path) ? path : path.slice(0, -1)
    return same(valueAt(draft.fields, of), valueAt(fields, of))
  }
  const texts = keptTexts(draft.texts, kept)
  return { ...draft, base: doc, fields, conflicts: [...conflicts, ...left], texts, gone: false, newer: null }
}

/** A draft with another value at a path; undefined removes it. */
export function edited(draft: Draft, path: ValuePath, to: Value | undefined): Draft {
  // After the removal of an item, the texts of later ones belong to other items.
  const above = to === undefined && typeof path.at(-1) === 'number' ? path.slice(0, -1) : path
  const texts = keptTexts(draft.texts, (of) => !above.every((key, i) => of[i] === key))
  return { ...draft, fields: withValue(draft.fields, path, to), texts }
}

const Path = v.array(v.union([v.string(), v.number()]))

/** Those of the texts whose paths are to be kept. */
function keptTexts(texts: Draft['texts'], keep: (path: ValuePath) => boolean): Draft['texts'] {
  const all = Object.entries(texts)
  return all.length === 0 ? texts : Object.fromEntries(all.filter(([key]) => keep(v.parse(Path, JSON.parse(key)))))
}

/** A draft with a text that is no value of the type at a path. */
export const typed = (draft: Draft, path: ValuePath, text: string): Draft => ({
  ...draft,
  texts: { ...draft.texts, [JSON.stringify(path)]: text },
})

/** A draft whose fields were written as JSON. */
export function writtenAsJson(draft: Draft, fields: Fields): Draft {
  const next = { ...draft, fields, json: null, texts: {} }
  return draft.newer ? rebased(next, draft.newer) : next
}

/** A draft in which a conflict is decided. */
export function decided(draft: Draft, path: FieldPath, whose: 'mine' | 'theirs'): Draft {
  const conflicts = draft.conflicts.filter((other) => !samePath(other, path))
  if (whose === 'mine') return { ...draft, conflicts }
  return edited({ ...draft, conflicts }, path, valueAt(draft.base.fields, path))
}

/** A draft after fields were saved as doc; what was typed meanwhile is kept. */
export function saved(draft: Draft, fields: Fields, doc: Doc): Draft {
  return rebased({ ...draft, base: { ...doc, fields }, conflicts: [] }, doc)
}

const StoredDoc = v.object({
  path: v.string(),
  id: v.string(),
  missing: v.boolean(),
  fields: v.pipe(WireFields, v.transform(fieldsFromWire)),
  createTime: v.string(),
  updateTime: v.string(),
})
const StoredDraft = v.object({
  base: StoredDoc,
  fields: v.pipe(WireFields, v.transform(fieldsFromWire)),
  conflicts: v.array(v.array(v.string())),
  gone: v.boolean(),
  json: v.nullable(v.string()),
  texts: v.record(v.string(), v.string()),
})

/** A draft as text. */
export function writeDraft({ base, fields, conflicts, gone, json, texts }: Draft): string {
  return JSON.stringify({
    base: { ...base, fields: fieldsToWire(base.fields) },
    fields: fieldsToWire(fields),
    conflicts,
    gone,
    json,
    texts,
  })
}

/** Reads the text of a draft; null if it is not one. */
export function readDraft(text: string | null): Draft | null {
  if (text === null) return null
  try {
    return { ...v.parse(StoredDraft, JSON.parse(text)), newer: null, version: 0 }
  } catch {
    return null
  }
}
