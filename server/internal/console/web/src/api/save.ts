import { changesOf, merged } from '../lib/changes'
import type { Scope } from '../lib/scope'
import type { Fields } from '../lib/value'
import { commit, type Doc, getDocument } from './firestore'
import { ApiError } from './http'

/** How often a save is repeated because another client changed the document meanwhile. */
const MAX_TRIES = 8

/** A change that was not saved, because another client has changed the same values. doc is null if the document was deleted. */
export class Outdated extends Error {
  readonly doc: Doc | null
  constructor(doc: Doc | null) {
    super('the document was changed elsewhere')
    this.doc = doc
  }
}

const wasChanged = (failure: unknown): boolean =>
  failure instanceof ApiError && (failure.status === 'FAILED_PRECONDITION' || failure.status === 'NOT_FOUND')

/**
 * Saves the differences between a version of a document and fields, and nothing else. If another client has changed other
 * values, both changes are kept. Returns the document after it. Throws Outdated if both changed the same value.
 */
export async function saveFields(scope: Scope, base: Doc, fields: Fields): Promise<Doc> {
  let at = base
  let mine = fields
  for (let tries = 1; ; tries++) {
    try {
      const changes = changesOf(at.fields, mine)
      // Merged with the other client's changes, nothing may be left to save.
      if (changes.length > 0) await commit(scope, [{ kind: 'update', path: base.path, changes, updateTime: at.updateTime }])
      break
    } catch (failure) {
      if (!wasChanged(failure) || tries === MAX_TRIES) throw failure
      const now = await getDocument(scope, base.path)
      if (!now) throw new Outdated(null)
      const both = merged(at.fields, mine, now.fields)
      if (both.conflicts.length > 0) throw new Outdated(now)
      at = now
      mine = both.fields
    }
  }
  const saved = await getDocument(scope, base.path)
  if (!saved) throw new Outdated(null)
  return saved
}
