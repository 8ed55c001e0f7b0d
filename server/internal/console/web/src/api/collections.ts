import * as v from 'valibot'
import type { Scope } from '../lib/scope'
import { call, stream, withQuery } from './http'

const Collections = v.object({
  collections: v.array(v.object({ id: v.string(), path: v.string(), count: v.optional(v.number()), more: v.optional(v.boolean(), false) })),
  nextPageToken: v.optional(v.string(), ''),
})
export type Collection = v.InferOutput<typeof Collections>['collections'][number]

const MAX_PAGES = 20

/** The collections directly below a document, or of the database if parent is ''. */
export async function loadCollections(scope: Scope, parent: string, counts: boolean, signal?: AbortSignal): Promise<Collection[]> {
  const all: Collection[] = []
  let pageToken = ''
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { ...scope, parent, counts: counts ? 1 : undefined, pageToken }
    const answer = await call(Collections, withQuery('/api/collections', query), { signal })
    all.push(...answer.collections)
    pageToken = answer.nextPageToken
    if (!pageToken) break
  }
  return all
}

const Groups = v.object({ groups: v.array(v.string()), more: v.optional(v.boolean(), false) })

export async function loadGroups(scope: Scope, signal?: AbortSignal): Promise<string[]> {
  return (await call(Groups, withQuery('/api/groups', scope), { signal })).groups
}

const DeleteCount = v.object({ documents: v.number(), collections: v.number() })
type DeleteCount = v.InferOutput<typeof DeleteCount>

/** Counts what the deletion of some paths would delete. */
export function countDelete(scope: Scope, paths: string[], signal?: AbortSignal): Promise<DeleteCount> {
  return call(DeleteCount, '/api/delete/count', { body: { ...scope, paths }, signal })
}

const DeleteLine = v.union([
  v.object({ done: v.literal(true), deleted: v.number(), undo: v.string(), until: v.string() }),
  v.object({ deleted: v.number(), total: v.number(), undo: v.optional(v.string()) }),
])

/**
 * Deletes documents and collections with everything below them. If it fails, the undo token of the completed deletions
 * precedes the error.
 */
export const deleteTrees = (scope: Scope, paths: string[]) => stream(DeleteLine, '/api/delete', { body: { ...scope, paths } })

const UndoLine = v.union([
  v.object({ done: v.literal(true), restored: v.number(), skipped: v.number() }),
  v.object({ restored: v.number(), total: v.number() }),
])

/** Undoes a deletion, within a minute. */
export const undoDelete = (scope: Scope, undo: string) => stream(UndoLine, '/api/undo', { body: { ...scope, undo } })
