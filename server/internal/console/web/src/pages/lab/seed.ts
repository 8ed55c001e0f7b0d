import { commit } from '../../api/firestore'
import { readJson } from '../../lib/json-file'
import { documentsRoot, type Scope } from '../../lib/scope'

const BATCH = 200

/** Writes the documents of a seed and returns how many there are. */
export async function loadSeed(
  scope: Scope,
  text: string,
  badPath: string,
  progress: (done: number, all: number) => void,
): Promise<number> {
  const docs = readJson(text, `${documentsRoot(scope)}/`)
  for (const { id } of docs) {
    const ids = id.split('/')
    if (ids.length % 2 === 1 || ids.includes('')) throw new Error(`${badPath}: ${id}`)
  }
  for (let i = 0; i < docs.length; i += BATCH) {
    progress(i, docs.length)
    await commit(
      scope,
      docs.slice(i, i + BATCH).map(({ id, fields }) => ({ kind: 'set' as const, path: id, fields })),
    )
  }
  return docs.length
}
